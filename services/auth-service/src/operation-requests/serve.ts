/** Serves the changes that wait for a second person over gRPC. */
import type { Handlers } from '@causeway/grpc'
import type { operationRequestsService } from '@causeway/protos'
import { refusalMessage, timeMessage } from '../contract.ts'
import { refuse } from '../domain/refusal.ts'
import {
  checkApprover,
  decideOperation,
  requestOperation,
  type OperationOutcome,
  type OperationRequestParts,
} from './requests.ts'
import { operationRequests, saveOperationOutcome, type OperationRequest } from './store.ts'

const rows_max = 1_000

export function serveOperationRequests(
  parts: OperationRequestParts,
): Handlers<typeof operationRequestsService> {
  return {
    async RequestOperation({ requestId: id, actor: createdBy, body, ...wanted }) {
      return answer(await requestOperation(parts, { ...wanted, id, createdBy, body: body ?? null }))
    },
    async DecideOperation({ requestId: id, decision, note, actor: by }) {
      if (decision !== 'APPROVE' && decision !== 'REJECT') {
        return answer(refuse('INVALID', 'decision must be APPROVE or REJECT'))
      }
      return answer(await decideOperation(parts, { id, decision, note, by }))
    },
    async ListOperationRequests({ state = '' }) {
      const requests = await operationRequests(parts.db, state, rows_max)
      return { requests: requests.map(requestMessage) }
    },
    async NoteOperationOutcome({ requestId, status }) {
      await saveOperationOutcome(parts.db, requestId, status)
      return {}
    },
    async CheckApprover({ maker, actor }) {
      const refused = await checkApprover(parts, maker, actor)
      return { refusal: refused === undefined ? null : refusalMessage(refused) }
    },
  }
}

function answer(outcome: OperationOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { decided: { request: requestMessage(outcome.request), runs: outcome.runs } }
}

function requestMessage(request: OperationRequest) {
  const { id, method, route, uri, body, state, createdBy, createdAt, note } = request
  const { decidedBy, decidedAt, outcome } = request
  return {
    requestId: id,
    method,
    route,
    uri,
    ...(body === null ? {} : { body }),
    state,
    createdBy,
    createdAt: timeMessage(createdAt),
    note,
    ...(decidedBy === null ? {} : { decidedBy }),
    ...(decidedAt === null ? {} : { decidedAt: timeMessage(decidedAt) }),
    ...(outcome === null ? {} : { status: outcome }),
  }
}
