import { describe, expect, test } from '@jest/globals'
import { numberMember, readJson, writeJson } from './json.ts'

describe('reading', () => {
  test('Reading retains every digit of a number as text', () => {
    expect(readJson('{"a":123456789012345678.1234,"b":[-0.5,1e3],"c":"7"}')).toEqual({
      a: { [numberMember]: '123456789012345678.1234' },
      b: [{ [numberMember]: '-0.5' }, { [numberMember]: '1e3' }],
      c: '7',
    })
  })

  test('Reading leaves digits inside strings unchanged', () => {
    const value = { 'a 1': 'x 2 "3" \\ 4', b: '\\"5', c: true, d: null }
    expect(readJson(JSON.stringify(value))).toEqual(value)
  })

  test.each(['', '{', '01', '1.', '.5', '{"a":1,}', "{'a':1}", 'NaN', '"\n"'])(
    'Reading refuses the malformed %j',
    (text) => {
      expect(() => readJson(text)).toThrow(SyntaxError)
    },
  )
})

describe('writing', () => {
  test('Writing prints amounts from ten-thousandths with exact digits', () => {
    expect(writeJson({ value: 1234567890123456789n, less: -5n, none: 0n })).toBe(
      '{"value":123456789012345.6789,"less":-0.0005,"none":0}',
    )
  })

  test('Writing prints all other values as JSON', () => {
    const value = { id: 7, text: 'a"b', yes: true, nothing: null, list: [1, [], {}] }
    expect(writeJson(value)).toBe(JSON.stringify(value))
  })
})
