/**
 * Changes that one person requests and another one decides, in the ledger's queue: of two concurrent
 * decisions the second sees the first. Possible approvers are notified of a request, and its maker of the
 * decision.
 */
import { approvalHandlers, openApprovals, personsOf, type StoredRequest } from '@causeway/approvals'
import type { OutgoingMessage } from '@causeway/bus'
import { newEvent, privilegeOfCall } from '@causeway/events'
import type { Calls, Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { approvalsService, operatorsService } from '@causeway/protos'
import { approvalKinds, isApprovalKind } from '@causeway/services'
import { participantOf, type ChangeName, type ContentOf } from './content.ts'
import { changeKinds, type KindParts } from './kinds.ts'

export interface ChangesParts extends KindParts {
  readonly database: Database
  readonly operators: Pick<Calls<typeof operatorsService>, 'CheckApprover'>
  /** How long a request waits. */
  readonly approvalLife_ms: number
}

export function serveChanges(parts: ChangesParts): Handlers<typeof approvalsService> {
  const { database: db, bus, writer, rules, operators, approvalLife_ms: life_ms } = parts
  const approvals = openApprovals({
    source: 'participant-lifecycle',
    db,
    bus,
    life_ms,
    kinds: changeKinds(parts),
    transaction: writer.runExclusive,
    announce: (tx, request) => bus.announce(tx, [eventOf(request, rules.hubName)]),
    persons: personsOf(operators),
  })
  return approvalHandlers({ approvals, db, life_ms })
}

function eventOf(request: StoredRequest, hubName: string): OutgoingMessage {
  const { id: requestId, kind: type, state, createdBy, createdAt, decidedBy, decidedAt } = request
  const content = JSON.parse(request.content) as ContentOf<ChangeName>
  const head = { participantId: participantOf(content, hubName), requestId, type, createdBy }
  if (decidedBy === null || decidedAt === null) {
    if (!isApprovalKind(type)) throw new Error(`there is no kind of request ${type}`)
    return newEvent('participant-lifecycle', 'ParticipantChangeRequested', {
      ...head,
      approvedWith: privilegeOfCall(approvalKinds[type].decide),
      requestedAt: createdAt.toISOString(),
    })
  }
  return newEvent('participant-lifecycle', 'ParticipantChangeDecided', {
    ...head,
    state: state === 'APPROVED' ? state : 'REJECTED',
    decidedBy,
    decidedAt: decidedAt.toISOString(),
    ...(request.note === null ? {} : { note: request.note }),
  })
}
