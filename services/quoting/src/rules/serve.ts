/** Serves the scheme rules over gRPC, for operators: read and replaced as a whole. */
import type { Handlers } from '@causeway/grpc'
import type { schemeRulesService, SchemeRulesState } from '@causeway/protos'
import type { RuleBook } from './book.ts'
import type { RuleSet } from './store.ts'

export function ruleHandlers(book: RuleBook, now: () => Date): Handlers<typeof schemeRulesService> {
  return {
    GetSchemeRules: async () => {
      await book.refresh()
      return stateOf(book.set())
    },
    SetSchemeRules: async ({ iteration, rulesJson, changedBy }) => {
      const change = { iteration, json: rulesJson, changedBy, now: now() }
      const changed = await book.change(change)
      if (changed.type === 'CHANGED') {
        return { state: stateOf(changed.set), refusal: null, result: 'state' }
      }
      const { reason, detail } = changed
      return { state: null, refusal: { reason, detail }, result: 'refusal' }
    },
  }
}

function stateOf({ iteration, json, changedAt, changedBy }: RuleSet): SchemeRulesState {
  return { iteration, rulesJson: json, changedAt, changedBy }
}
