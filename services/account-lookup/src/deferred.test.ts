import type { OutgoingMessage } from '@causeway/bus'
import { catalogue, newEvent, type DomainEvent, type EventName } from '@causeway/events'
import { expect, test } from '@jest/globals'
import { deferred, requestIn, type RequestEvent } from './deferred.ts'
import {
  association,
  batch,
  participantQuery,
  partyQuery,
  relay,
  removal,
} from './testing/world.ts'

const time = '2026-01-02T03:04:05.678Z'

/** A message as the consumer receives it. */
function received<Name extends EventName>(message: OutgoingMessage): DomainEvent<Name> {
  const name = message.type as Name
  const payload: unknown = JSON.parse(JSON.stringify(message.payload))
  return {
    name,
    id: message.id,
    time,
    payload: catalogue[name].schema.parse(payload),
    relay: 'relay-body' in message.headers ? relay : undefined,
    traceparent: message.headers['traceparent']?.toString(),
  } as unknown as DomainEvent<Name>
}

function keyOf(message: OutgoingMessage): string {
  return deferred(received(message) as RequestEvent).key
}

const named = { id: '+27713803912', currency: 'USD' }
const list = [{ partyIdType: 'ALIAS', partyIdentifier: 'ana', fspId: 'greenbank' }]

test.each<[string, OutgoingMessage]>([
  ['a query about a party', partyQuery(named)],
  ['a query for the owner of a party', participantQuery({ ...named, subId: 'till1' })],
  ['an association', association(named)],
  ['a removal', removal(named)],
  ['a list of parties', batch('r-1', list, { currency: 'USD' })],
])('%s comes back as it was put away, each time under the same id', (_title, message) => {
  const event = received(message) as RequestEvent
  expect(requestIn(received(deferred(event)))).toEqual(event)
  expect(deferred(event)).toEqual(deferred(event))
  expect(deferred(event).id).not.toBe(event.id)
})

test('A deferred request keeps its trace', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { payload } = received<'ParticipantQueryReceived'>(participantQuery(named))
  const name = 'ParticipantQueryReceived'
  const event = received<typeof name>(newEvent('fspiop-api', name, payload, { traceparent }))
  expect(requestIn(received(deferred(event))).traceparent).toBe(traceparent)
})

test('Deferred changes of one party stay in order, in any spelling; queries are unordered', () => {
  expect(keyOf(association(named))).toBe(keyOf(removal({ id: '27713803912', by: 'bluewallet' })))
  expect(keyOf(association(named))).not.toBe(keyOf(association({ ...named, subId: 'till1' })))
  expect(keyOf(partyQuery(named))).not.toBe(keyOf(partyQuery(named)))
})
