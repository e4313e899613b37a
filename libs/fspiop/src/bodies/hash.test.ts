import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'
import { payloadHash } from './hash.ts'

describe('the hash of a payload', () => {
  test('The hash of a payload is the SHA-256 of the canonical text as base64url', () => {
    expect(payloadHash({})).toBe('RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o')
  })

  test('The hash of a payload does not change with the order of members or with blanks', () => {
    const one = JSON.parse('{"transferId":"x","amount":{"currency":"USD","amount":"1"}}') as unknown
    const other = JSON.parse(
      '{ "amount" : {"amount":"1","currency":"USD"},"transferId":"x"}',
    ) as unknown
    expect(payloadHash(one)).toBe(payloadHash(other))
  })

  test.each([
    ['{"a":"1"}', '{"a":"2"}'],
    ['{"a":"1"}', '{"a":1}'],
    ['{"a":["1","2"]}', '{"a":["2","1"]}'],
    ['{"a":{}}', '{"a":[]}'],
    ['{"a":null}', '{}'],
    ['{"a":"b\\",\\"c\\":\\"d"}', '{"a":"b","c":"d"}'],
  ])('The hash of a payload distinguishes %s from %s', (one, other) => {
    expect(payloadHash(JSON.parse(one))).not.toBe(payloadHash(JSON.parse(other)))
  })

  test('The hash of a payload is the same after it was written and read again', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const json: unknown = JSON.parse(text)
        expect(payloadHash(JSON.parse(canonicalJson(json)))).toBe(payloadHash(json))
      }),
    )
  })
})
