import { expect, test } from '@jest/globals'
import { canonicalJson } from './canonical-json.ts'

test('Canonical JSON does not depend on the order of members', () => {
  const one = canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })
  expect(one).toBe('{"a":"x","b":[{"c":null,"d":1}]}')
  expect(canonicalJson({ a: 'x', b: [{ c: null, d: 1 }] })).toBe(one)
})
