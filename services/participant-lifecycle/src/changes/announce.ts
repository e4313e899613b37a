/**
 * The events of change requests: possible approvers are notified of a pending request, and its
 * maker of the decision.
 */
import type { EventBus } from '@causeway/bus'
import { newEvent, privilegeOfCall } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import type { ChangeRequest } from './domain/request.ts'
import { checkerCalls } from './domain/wanted.ts'

export function announceRequested(bus: EventBus, tx: Transaction, request: ChangeRequest): void {
  bus.announce(tx, [
    newEvent('participant-lifecycle', 'ParticipantChangeRequested', {
      ...headOf(request),
      approvedWith: privilegeOfCall(checkerCalls[request.wanted.type]),
      requestedAt: request.createdAt.toISOString(),
    }),
  ])
}

export function announceDecided(bus: EventBus, tx: Transaction, request: ChangeRequest): void {
  const { state, decidedBy, decidedAt, note } = request
  if (state === 'PEND-APPROVAL' || decidedBy === null || decidedAt === null) {
    throw new Error(`the request ${request.id} is not decided`)
  }
  bus.announce(tx, [
    newEvent('participant-lifecycle', 'ParticipantChangeDecided', {
      ...headOf(request),
      state,
      decidedBy,
      decidedAt: decidedAt.toISOString(),
      note,
    }),
  ])
}

function headOf({ id, wanted, createdBy }: ChangeRequest) {
  return { participantId: wanted.participant, requestId: id, type: wanted.type, createdBy }
}
