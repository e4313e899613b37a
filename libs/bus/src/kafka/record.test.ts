import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { KafkaMessage } from 'kafkajs'
import type { Message } from '../event-bus.ts'
import { message_bytes_max } from '../message-size.ts'
import { packHeaders, toMessage, toRecord, unpackHeaders, type OutgoingRecord } from './record.ts'

const message: Message = {
  id: '1',
  topic: 'orders',
  key: 'a',
  type: 'Counted',
  source: 'shop',
  time: '2026-01-01T00:00:00.000Z',
  payload: { n: 1 },
  maybeDuplicate: true,
  headers: {},
}

/** As it is received: Kafka carries everything as bytes. */
function carried({ key, value, headers }: OutgoingRecord): KafkaMessage {
  return {
    key: key === '' ? null : Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)]),
    ),
    timestamp: '0',
    attributes: 0,
    offset: '0',
  }
}

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
const name = fc.stringMatching(/^[a-z][a-z -]{0,20}$/)
const headers = fc.dictionary(name, fc.oneof(fc.string(), bytes), { noNullPrototype: true })

test('A message is received as it was sent, texts as texts and bytes as bytes', () => {
  fc.assert(
    fc.property(headers, fc.string(), fc.jsonValue(), (own, key, payload) => {
      // JSON knows no -0.
      const plain: unknown = JSON.parse(JSON.stringify(payload))
      const sent = { ...message, headers: own, key, payload: plain }
      expect(toMessage('orders', carried(toRecord(sent)))).toEqual(sent)
    }),
  )
})

test('Headers are read from their block as bytes', () => {
  fc.assert(
    fc.property(headers, (own) => {
      const all = Object.entries(own).map(([key, value]) => [key, Buffer.from(value)] as const)
      expect(unpackHeaders(packHeaders(own))).toEqual(Object.fromEntries(all))
    }),
  )
})

test('A message that no broker would take is refused where it is created', () => {
  const large = { ...message, payload: 'x'.repeat(message_bytes_max) }
  expect(() => toRecord(large)).toThrow(/the limit is \d+/)
  expect(() => toRecord({ ...message, headers: { ce_id: '2' } })).toThrow('has the header ce_id')
  expect(() => toRecord({ ...message, payload: undefined })).toThrow('is not JSON')
  expect(() => packHeaders({ ['x'.repeat(256)]: '' })).toThrow('is too long')
})

test('A record that the bus did not write cannot be read', () => {
  const record = carried(toRecord(message))
  const nothing = { ...record, value: null } as KafkaMessage
  const bare = { ...record, headers: {} } as KafkaMessage
  expect(() => toMessage('orders', nothing)).toThrow('no value')
  expect(() => toMessage('orders', bare)).toThrow('lacks its header ce_id')
})
