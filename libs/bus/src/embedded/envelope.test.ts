import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Message } from '../event-bus.ts'
import { idOf, prepare, restore, stored } from './envelope.ts'

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

const store = (of: Message) => stored(prepare(of))

describe('Stored messages:', () => {
  test('A stored message is restored as it was, text as text and bytes as bytes', () => {
    expect(restore(store(message))).toEqual(message)
    expect(idOf(store(message))).toBe('e4b1')
  })

  test('A stored message with any headers, names and payload is restored', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 })
    const bytes = fc.uint8Array({ maxLength: 3000 }).map((array) => Buffer.from(array))
    const headers = fc.dictionary(text, fc.oneof(text, bytes), { noNullPrototype: true })
    const payload = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('-0'))
    fc.assert(
      fc.property(text, text, headers, payload, (id, source, own, value) => {
        const any = { ...message, id, source, headers: own, payload: value }
        expect(restore(store(any))).toEqual(JSON.parse(JSON.stringify(any), revive))
      }),
    )
  })

  test('Headers with the names of attributes are not mistaken for them', () => {
    const odd = { ...message, headers: { ce_id: 'another', ce_time: 'never' } }
    expect(restore(store(odd))).toEqual(odd)
  })

  test('A message that JSON or PostgreSQL cannot carry is refused', () => {
    expect(() => store({ ...message, payload: undefined })).toThrow('is not JSON')
    expect(() => store({ ...message, payload: 1n })).toThrow(TypeError)
    expect(() => store({ ...message, key: 'a\0b' })).toThrow('U+0000')
    expect(() => store({ ...message, headers: { ['x'.repeat(256)]: '' } })).toThrow('too long')
  })

  test('A message whose header block is truncated anywhere cannot be read', () => {
    const whole = store(message)
    for (let length = 0; length < whole.headers.length; length++) {
      const cut = { ...whole, headers: whole.headers.subarray(0, length) }
      const read = idOf(cut) === undefined ? undefined : restore(cut).headers
      // Cut between two headers the rest is whole; anywhere else it is refused.
      expect([undefined, {}, { traceparent: '00-1-2-01' }]).toContainEqual(read)
    }
    expect(() => restore({ ...whole, value: Buffer.from('{"a":') })).toThrow(SyntaxError)
  })
})

/** Buffers that went through JSON. */
function revive(_name: string, value: unknown): unknown {
  const buffer = value as { type?: unknown; data?: unknown } | null
  const isBuffer = buffer !== null && buffer.type === 'Buffer' && Array.isArray(buffer.data)
  return isBuffer ? Buffer.from(buffer.data as number[]) : value
}
