import { expect, test } from '@jest/globals'
import { currencyUseFault, decimalsFault } from './scheme.ts'

const decimalsOf = (currency: string) => ({ USD: 2, UGX: 0 })[currency]

test('An account is opened only in a currency of the scheme', () => {
  expect(currencyUseFault(decimalsOf, 'USD')).toBeUndefined()
  expect(currencyUseFault(decimalsOf, 'EUR')?.reason).toBe('CURRENCY_NOT_USED')
})

test.each([
  ['USD', '10.55', undefined],
  ['USD', '10.555', 'DECIMALS_TOO_MANY'],
  ['UGX', '10', undefined],
  ['UGX', '10.5', 'DECIMALS_TOO_MANY'],
  ['EUR', '10.5555', undefined],
])('An amount in %s of %s is judged by the decimals of the scheme', (currency, amount, reason) => {
  expect(decimalsFault(decimalsOf, currency, amount)?.reason).toBe(reason)
})
