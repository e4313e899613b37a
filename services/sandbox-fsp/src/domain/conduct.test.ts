import { expect, test } from '@jest/globals'
import { conductOf } from './conduct.ts'

test.each([
  ['10', 'commit'],
  ['11.01', 'reserve'],
  ['12.01', 'charge'],
  ['20.04', 'delay'],
  ['33.03', 'ignore'],
  ['51.03', 'rejectQuote'],
  ['51.04', 'reject'],
  ['51.05', 'commit'],
])('a payee that is paid %s will %s', (amount, conduct) => {
  expect(conductOf(amount, new Map())).toBe(conduct)
})

test('a named conduct goes before the amount', () => {
  expect(conductOf('51.04', new Map([['payeeDoes', 'reserve']]))).toBe('reserve')
})

test('a name that is no conduct does not count', () => {
  expect(conductOf('51.04', new Map([['payeeDoes', 'dance']]))).toBe('reject')
})
