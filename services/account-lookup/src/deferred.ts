/**
 * Requests that need a call of an external oracle. Each goes back on the bus to be processed
 * separately, so requests that need no call never wait for one.
 */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent } from '@causeway/events'
import type { CommandEvent } from './associations/contract.ts'
import { partyKey, readParty } from './domain/party.ts'
import type { QueryEvent } from './lookups/contract.ts'

export type RequestEvent = QueryEvent | CommandEvent

type DeferredEvent = DomainEvent<'OracleRequestDeferred'>
type DeferredRequest = DeferredEvent['payload']['request']

/** The deferred request; a repeat has the same event id. */
export function deferred(event: RequestEvent): OutgoingMessage {
  const { id, name, payload, relay, traceparent } = event
  const request = { name, payload } as DeferredRequest
  return newEvent(
    'account-lookup',
    'OracleRequestDeferred',
    { requestKey: orderKeyOf(event), requestEventId: id, request },
    { id: derivedId(id, 'OracleRequestDeferred'), relay, traceparent },
  )
}

/** The original request. */
export function requestIn({ payload, ...event }: DeferredEvent): RequestEvent {
  return { ...event, id: payload.requestEventId, ...payload.request }
}

/** Changes of one party stay in order, in any spelling of the identifier; queries are unordered. */
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
