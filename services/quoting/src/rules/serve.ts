/**
 * Serves the scheme rules over gRPC, for operators: read and replaced as a whole, where the scheme asks
 * for it with the approval of a second person.
 */
import { randomUUID } from 'node:crypto'
import { isCorrelationId } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import type { schemeRulesService, SchemeRulesRequest, SchemeRulesState } from '@causeway/protos'
import { refuse, type RefusedBy } from '@causeway/services'
import type { RuleBook } from './book.ts'
import type { ListedRuleRequest } from './request-store.ts'
import type { RuleRequestOutcome, RuleRequests } from './requests.ts'
import type { RuleSet } from './store.ts'

export interface RuleParts {
  readonly book: RuleBook
  readonly requests: RuleRequests
  /** Whether a change needs a second person now. */
  readonly needsApproval: () => boolean
  readonly now: () => Date
}

const note_length_max = 1_024

export function ruleHandlers({
  book,
  requests,
  needsApproval,
  now,
}: RuleParts): Handlers<typeof schemeRulesService> {
  return {
    GetSchemeRules: async () => {
      await book.refresh()
      return stateOf(book.set())
    },
    SetSchemeRules: async ({ iteration, rulesJson, changedBy, requestId = randomUUID() }) => {
      const change = { iteration, json: rulesJson, changedBy, now: now() }
      if (needsApproval()) {
        if (!isCorrelationId(requestId)) return refusal(badId)
        return requestAnswer(await requests.request(requestId, change))
      }
      const changed = await book.change(change)
      return changed.type === 'CHANGED' ? { state: stateOf(changed.set) } : refusal(changed)
    },
    DecideSchemeRules: async ({ requestId: id, decision, note, actor: by }) => {
      if (decision !== 'APPROVE' && decision !== 'REJECT') {
        return refusal(refuse('INVALID', 'decision is APPROVE or REJECT'))
      }
      if (note.length > note_length_max) {
        return refusal(refuse('INVALID', `note has at most ${note_length_max} characters`))
      }
      return requestAnswer(await requests.decide({ id, decision, note, by, now: now() }))
    },
    ListSchemeRulesRequests: async ({ state = '' }) => ({
      requests: (await requests.list(state)).map(requestMessage),
    }),
  }
}

const badId = refuse('INVALID', 'requestId is a UUID or a ULID')

function refusal({ reason, detail }: RefusedBy<'quoting'>) {
  return { refusal: { reason, detail } }
}

function requestAnswer(outcome: RuleRequestOutcome) {
  return outcome.type === 'REFUSE' ? refusal(outcome) : { request: requestMessage(outcome.request) }
}

function requestMessage(request: ListedRuleRequest): SchemeRulesRequest {
  const { id, iteration, json, beforeJson, state, createdBy, createdAt } = request
  return {
    requestId: id,
    iteration,
    rulesJson: json,
    beforeJson,
    state,
    createdBy,
    createdAt: createdAt.toISOString(),
    ...(request.decidedBy === null || request.decidedAt === null
      ? {}
      : { decidedBy: request.decidedBy, decidedAt: request.decidedAt.toISOString() }),
    note: request.note,
  }
}

function stateOf({ iteration, json, changedAt, changedBy }: RuleSet): SchemeRulesState {
  return { iteration, rulesJson: json, changedAt, changedBy }
}
