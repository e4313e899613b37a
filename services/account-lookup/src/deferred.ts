/**
 * Requests that need a call of an oracle outside the hub. They are put back on the bus, each to be
 * worked on by itself, so that whoever needs no such call waits for none.
 */
import { derivedId, newEvent, type DomainEvent } from '@causeway/events'
import type { OutgoingMessage } from '@causeway/runtime'
import type { CommandEvent } from './associations/contract.ts'
import { partyKey, readParty } from './domain/party.ts'
import type { QueryEvent } from './lookups/contract.ts'

export type RequestEvent = QueryEvent | CommandEvent

type DeferredEvent = DomainEvent<'OracleRequestDeferred'>
type Request = DeferredEvent['payload']['request']

/** The request as it waits; a repeat of it waits under the same id. */
export function deferred(event: RequestEvent): OutgoingMessage {
  const { id, name, payload, relay, traceparent } = event
  const request = { name, payload } as Request
  return newEvent(
    'account-lookup',
    'OracleRequestDeferred',
    { requestKey: orderKeyOf(event), requestEventId: id, request },
    { id: derivedId(id, 'OracleRequestDeferred'), relay, traceparent },
  )
}

/** The request as it came. */
export function requestIn({ payload, ...event }: DeferredEvent): RequestEvent {
  return { ...event, id: payload.requestEventId, ...payload.request }
}

/** Changes of one party keep their order, however its identifier is written; questions have none. */
function orderKeyOf(event: RequestEvent): string {
  switch (event.name) {
    case 'PartyQueryReceived':
    case 'ParticipantQueryReceived':
      return event.id
    case 'ParticipantBatchAssociationRequestReceived':
      return event.payload.requestId
    default: {
      const reading = readParty(event.payload)
      return reading.type === 'PARTY' ? partyKey(reading.party) : event.payload.partyKey
    }
  }
}
