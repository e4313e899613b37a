/**
 * Serves the scheme rules over gRPC, for operators: read and replaced as a whole, where the scheme asks
 * for it with the approval of a second person.
 */
import { randomUUID } from 'node:crypto'
import { approvalMessage, type Approvals, type ChangeKind } from '@causeway/approvals'
import type { EventBus } from '@causeway/bus'
import { isCorrelationId } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import type { schemeRulesService, SchemeRulesState } from '@causeway/protos'
import { approvalKinds, refuse, type Refused } from '@causeway/services'
import { z } from 'zod'
import { checkRules, type RuleBook } from './book.ts'
import { addRuleSet, auditedRules, newestRuleSet, type RuleSet } from './store.ts'

export interface RuleParts {
  readonly book: RuleBook
  readonly approvals: Pick<Approvals, 'request'>
  /** Whether a change needs a second person now. */
  readonly needsApproval: () => boolean
  readonly now: () => Date
}

export function ruleHandlers({
  book,
  approvals,
  needsApproval,
  now,
}: RuleParts): Handlers<typeof schemeRulesService> {
  return {
    GetSchemeRules: async () => {
      await book.refresh()
      return stateOf(book.set())
    },
    SetSchemeRules: async ({ iteration, rulesJson, changedBy, requestId = randomUUID() }) => {
      if (needsApproval()) {
        if (!isCorrelationId(requestId)) return refusal(badId)
        const content = { iteration, rulesJson }
        const asked = { id: requestId, kind: 'SchemeRules', content, by: changedBy }
        const outcome = await approvals.request(asked)
        return outcome.type === 'REFUSE'
          ? refusal(outcome)
          : { request: approvalMessage(outcome.request) }
      }
      const changed = await book.change({ iteration, json: rulesJson, changedBy, now: now() })
      return changed.type === 'CHANGED' ? { state: stateOf(changed.set) } : refusal(changed)
    },
  }
}

const badId = refuse('INVALID', 'requestId is a UUID or a ULID')

function refusal({ reason, detail }: Refused) {
  return { refusal: { reason, detail } }
}

function stateOf({ iteration, json, changedAt, changedBy }: RuleSet): SchemeRulesState {
  const change = iteration === 0 ? {} : { changedAt, changedBy }
  return { iteration, rulesJson: json, ...change }
}

const content = z.strictObject({
  /** Of the rules that the request is based on. */
  iteration: z.int().min(0),
  rulesJson: z.string(),
})

/** The rules are replaced as a whole, and only if they are those that the request is based on. */
export function schemeRulesKind(
  bus: EventBus,
  book: Pick<RuleBook, 'refresh'>,
): ChangeKind<z.infer<typeof content>> {
  return {
    actions: { request: 'ChangeSchemeRules', decide: 'ApproveSchemeRules' },
    content,
    privilegeOf: () => approvalKinds.SchemeRules.privilege,
    subjectOf: () => 'scheme-rules',
    auditedOf: ({ iteration }) => ({ iteration }),
    turnOf: () => 'scheme-rules',
    async apply(tx, { iteration, rulesJson }, { createdBy: changedBy, now }) {
      const checked = checkRules({ json: rulesJson, changedBy })
      if (checked.type === 'REFUSE') return checked
      const before = await newestRuleSet(tx)
      const changedAt = now.toISOString()
      const set = { iteration: iteration + 1, json: checked.json, changedAt, changedBy }
      const isAdded = before.iteration === iteration && (await addRuleSet(bus, tx, set, before))
      if (!isAdded) return refuse('STALE', `the rules were changed since iteration ${iteration}`)
      return {
        type: 'DONE',
        before: null,
        after: { iteration },
        replaces: auditedRules(before),
        afterCommit: () => book.refresh(),
      }
    },
  }
}
