import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { canonicalJson } from './canonical-json.ts'

test('Members are sorted at every depth, without white space, and lists keep their order', () => {
  expect(canonicalJson(JSON.parse('{ "b": [1, {"d":null,"c":true}], "a": "x" }'))).toBe(
    '{"a":"x","b":[1,{"c":true,"d":null}]}',
  )
})

test('Names, numbers and texts are written as RFC 8785 says', () => {
  const json = JSON.parse('{"b":1.0,"a":1e21,"c":"€\\u000f","ö":1,"\\n":2}') as unknown
  expect(canonicalJson(json)).toBe('{"\\n":2,"a":1e+21,"b":1,"c":"€\\u000f","ö":1}')
  expect(canonicalJson({ '\u{1f600}': 1, '\ufb33': 2 })).toBe('{"\u{1f600}":1,"\ufb33":2}')
  expect(canonicalJson({ 9: 1, 10: 2 })).toBe('{"10":2,"9":1}')
})

test('A member that is undefined is left out', () => {
  expect(canonicalJson({ c: undefined, b: { a: undefined }, a: 1 })).toBe('{"a":1,"b":{}}')
})

test('The text of any text is its JSON', () => {
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

test('The text of any JSON reads back as the same value, and has the same text again', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
      const json: unknown = JSON.parse(text)
      const canonical = canonicalJson(json)
      expect(JSON.parse(canonical)).toEqual(json)
      expect(canonicalJson(JSON.parse(canonical))).toBe(canonical)
    }),
  )
})
