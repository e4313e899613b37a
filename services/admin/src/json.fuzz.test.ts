/** Bodies of operators that are almost JSON: read as JSON.parse reads them, with each number as it was written. */
import { changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { numberMember, readJson } from './json.ts'

const texts = [
  '{"amount":{"amount":"10.50","currency":"USD"},"limit":1.50,"count":-3e2}',
  '[1,2.0,{"a\\"1":"x:1","b":[0,-0,1E5]},null,true]',
]

/** With numbers instead of their texts. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  const entries = Object.entries(value)
  const [only] = entries
  if (entries.length === 1 && only?.[0] === numberMember && typeof only[1] === 'string') {
    return Number(only[1])
  }
  return Object.fromEntries(entries.map(([name, member]) => [name, plain(member)]))
}

test('A text is read like any JSON, or is a SyntaxError', () => {
  fc.assert(
    fc.property(changedText(texts), (text) => {
      let expected: unknown
      try {
        expected = JSON.parse(text)
      } catch {
        expect(() => readJson(text)).toThrow(SyntaxError)
        return
      }
      expect(plain(readJson(text))).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})
