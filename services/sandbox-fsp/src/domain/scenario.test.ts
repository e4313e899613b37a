import { expect, test } from '@jest/globals'
import { scenarioOf } from './scenario.ts'

test.each([
  ['10', 'commit'],
  ['11.01', 'reserve'],
  ['12.01', 'charge'],
  ['20.04', 'delay'],
  ['33.03', 'ignore'],
  ['51.03', 'rejectQuote'],
  ['51.04', 'reject'],
  ['51.05', 'commit'],
])('A payee that is paid %s plays the scenario %s', (amount, conduct) => {
  expect(scenarioOf(amount, new Map())).toBe(conduct)
})

test('A named scenario has precedence over the amount', () => {
  expect(scenarioOf('51.04', new Map([['payeeDoes', 'reserve']]))).toBe('reserve')
})

test('An unknown scenario name is ignored', () => {
  expect(scenarioOf('51.04', new Map([['payeeDoes', 'dance']]))).toBe('reject')
})
