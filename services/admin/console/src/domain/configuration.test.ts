import { expect, test } from '@jest/globals'
import { valueOf, valueText } from './configuration.ts'

test.each([
  ['STRING', 'stored', 'stored'],
  ['BOOL', 'off', false],
  ['BOOL', 'on', true],
  ['INT_NUMBER', '7', 7],
  ['FLOAT_NUMBER', '0.5', 0.5],
  ['LIST', '[1,"a"]', [1, 'a']],
  ['OBJECT', '{"a":1}', { a: 1 }],
] as const)(
  'A value of the type %s is read from its text, and shown as the same text',
  (type, text, value) => {
    expect(valueOf(type, text)).toEqual(value)
    expect(valueText(value)).toBe(text)
  },
)

test('A text of another type is refused with a sentence', () => {
  expect(() => valueOf('INT_NUMBER', 'many')).toThrow('many is not a number.')
  expect(() => valueOf('INT_NUMBER', '')).toThrow('is not a number.')
  expect(() => valueOf('OBJECT', '{')).toThrow('The text is not JSON.')
})
