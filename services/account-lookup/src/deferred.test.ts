import { catalogue, newEvent, type DomainEvent, type EventName } from '@causeway/events'
import type { OutgoingMessage } from '@causeway/runtime'
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

/** A message as its consumer gets it. */
function heard<Name extends EventName>(message: OutgoingMessage): DomainEvent<Name> {
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
  return deferred(heard(message) as RequestEvent).key
}

const named = { id: '+27713803912', currency: 'USD' }
const list = [{ partyIdType: 'ALIAS', partyIdentifier: 'ana', fspId: 'greenbank' }]

test.each<[string, OutgoingMessage]>([
  ['a question about a party', partyQuery(named)],
  ['a question whose a party is', participantQuery({ ...named, subId: 'till1' })],
  ['an association', association(named)],
  ['a removal', removal(named)],
  ['a list of parties', batch('r-1', list, { currency: 'USD' })],
])('%s comes back as it was put away, each time under the same id', (_title, message) => {
  const event = heard(message) as RequestEvent
  expect(requestIn(heard(deferred(event)))).toEqual(event)
  expect(deferred(event)).toEqual(deferred(event))
  expect(deferred(event).id).not.toBe(event.id)
})

test('the trace goes on', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { payload } = heard<'ParticipantQueryReceived'>(participantQuery(named))
  const name = 'ParticipantQueryReceived'
  const event = heard<typeof name>(newEvent('fspiop-api', name, payload, { traceparent }))
  expect(requestIn(heard(deferred(event))).traceparent).toBe(traceparent)
})

test('changes of one party wait in line, however it is written; questions wait by themselves', () => {
  expect(keyOf(association(named))).toBe(keyOf(removal({ id: '27713803912', by: 'bluewallet' })))
  expect(keyOf(association(named))).not.toBe(keyOf(association({ ...named, subId: 'till1' })))
  expect(keyOf(partyQuery(named))).not.toBe(keyOf(partyQuery(named)))
})
