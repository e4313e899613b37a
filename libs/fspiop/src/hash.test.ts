import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { canonicalJson, payloadHash } from './hash.ts'

describe('the hash of a payload', () => {
  test('The hash of a payload is the SHA-256 of the canonical text as base64url', () => {
    expect(canonicalJson(JSON.parse('{ "b": [1, {"d":null,"c":true}], "a": "x" }'))).toBe(
      '{"a":"x","b":[1,{"c":true,"d":null}]}',
    )
    expect(payloadHash({})).toBe('RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o')
  })

  test('The hash of a payload is over the canonical form of RFC 8785', () => {
    const json = JSON.parse('{"b":1.0,"a":1e21,"c":"€\\u000f","ö":1,"\\n":2}') as unknown
    expect(canonicalJson(json)).toBe('{"\\n":2,"a":1e+21,"b":1,"c":"€\\u000f","ö":1}')
    expect(canonicalJson({ '\u{1f600}': 1, '\ufb33': 2 })).toBe('{"\u{1f600}":1,"\ufb33":2}')
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

  test('The hash of any text is that of its JSON', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '"', '\\', '\n', '\u001f', '\ud800', '\udc00', 'é'),
        }),
        (text) => {
          expect(canonicalJson({ [`k${text}`]: text })).toBe(JSON.stringify({ [`k${text}`]: text }))
        },
      ),
    )
  })

  test('The canonical text of any JSON reads back as the same value', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const json: unknown = JSON.parse(text)
        expect(JSON.parse(canonicalJson(json))).toEqual(json)
        expect(payloadHash(JSON.parse(canonicalJson(json)))).toBe(payloadHash(json))
      }),
    )
  })
})
