/**
 * Messages as a broker or the log hands them over, almost whole: each is read with every attribute, or
 * refused with an error, after which it is a dead letter.
 */
import { changedBytes, changedJson, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { KafkaMessage } from 'kafkajs'
import { idOf, prepare, restore, stored } from './embedded/envelope.ts'
import type { Message } from './event-bus.ts'
import { packHeaders, toMessage, toRecord, unpackHeaders } from './kafka/record.ts'

const numRuns = 500
const message: Message = {
  id: 'e4b1',
  topic: 'transfers',
  key: 'k',
  type: 'TransferPrepared',
  source: 'transfers',
  time: '2026-03-01T10:00:00.000Z',
  payload: { amount: '10', list: [1, null, 'é'] },
  maybeDuplicate: true,
  headers: { traceparent: '00-1-2-01', 'relay-body': Buffer.from([0, 255, 10]) },
}

/** The result, or undefined where it throws an error. */
function readOrRefused<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return undefined
  }
}

function expectMessage(read: Message | undefined, value: Buffer): void {
  if (read === undefined) return
  for (const name of ['id', 'topic', 'key', 'type', 'source', 'time'] as const) {
    expect(typeof read[name]).toBe('string')
  }
  for (const header of Object.values(read.headers)) {
    expect(typeof header === 'string' || Buffer.isBuffer(header)).toBe(true)
  }
  expect(read.payload).toEqual(JSON.parse(value.toString()))
  expect(read.maybeDuplicate).toBe(true)
}

test('A record of Kafka is read with all its attributes, or refused', () => {
  const { key, value, headers } = toRecord(message)
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)]),
  )
  const whole = Buffer.from(value ?? '')
  const names = Object.keys(sent)
  const header = fc.oneof(
    changedBytes(Object.values(sent)),
    fc.constant(undefined),
    fc.constant([Buffer.from('a'), Buffer.from('b')] as Buffer[]),
    changedText(Object.values(sent).map(String)),
    changedJson(['relay-body']).map((json) => Buffer.from(JSON.stringify(json))),
  )
  const record = fc.record({
    key: fc.constantFrom(null, Buffer.from(key)),
    value: fc.oneof(fc.constant(null), fc.constant(whole), changedBytes([whole])),
    name: fc.oneof(fc.constantFrom(...names), changedText(names)),
    header,
  })
  fc.assert(
    fc.property(record, ({ name, header: changed, ...rest }) => {
      const carried: KafkaMessage = {
        ...rest,
        headers: { ...sent, [name]: changed },
        timestamp: '0',
        attributes: 0,
        offset: '0',
      }
      const read = readOrRefused(() => toMessage('transfers', carried))
      if (rest.value === null) expect(read).toBeUndefined()
      else expectMessage(read, rest.value)
    }),
    { numRuns },
  )
})

test('A message of the log is restored with all its attributes, or refused', () => {
  const row = stored(prepare(message))
  const changed = fc.record({
    headers: fc.oneof(fc.constant(row.headers), changedBytes([row.headers])),
    value: fc.oneof(fc.constant(row.value), changedBytes([row.value])),
  })
  fc.assert(
    fc.property(changed, ({ headers, value }) => {
      const one = { ...row, headers, value }
      const read = readOrRefused(() => restore(one))
      expectMessage(read, value)
      if (read !== undefined) expect(idOf(one)).toBe(read.id)
    }),
    { numRuns },
  )
})

test('A block of headers is read as it is written again, or refused', () => {
  const block = packHeaders({ traceparent: '00-1-2-01', 'relay-body': Buffer.from([0, 255, 10]) })
  fc.assert(
    fc.property(changedBytes([block]), (bytes) => {
      const read = readOrRefused(() => unpackHeaders(bytes))
      if (read === undefined) return
      const length = Object.entries(read).map(([, value]) => value.length)
      // Nothing is read that is not there.
      expect(length.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(bytes.length)
    }),
    { numRuns },
  )
  const cut = block.subarray(0, block.length - 1)
  expect(() => unpackHeaders(cut)).toThrow('cut off')
})
