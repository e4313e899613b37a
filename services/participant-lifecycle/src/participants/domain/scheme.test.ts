import { expect, test } from '@jest/globals'
import { currencyUseFault, limitsFault } from './scheme.ts'

test('A currency that the scheme does not use is refused', () => {
  const isUsed = (currency: string) => currency === 'USD'
  expect(currencyUseFault(isUsed, 'USD')).toBeUndefined()
  expect(currencyUseFault(isUsed, 'EUR')?.reason).toBe('CURRENCY_NOT_USED')
})

test('A limit has no more decimals than its currency, where amounts are bounded', () => {
  const accounts = [
    { currency: 'USD', limit: 12_500n },
    { currency: 'XOF', limit: null },
    { currency: 'XOF', limit: 5_000n },
  ]
  const bounds = new Map([
    ['USD', 2],
    ['XOF', 0],
  ])
  expect(limitsFault(undefined, accounts)).toBeUndefined()
  expect(limitsFault(bounds, accounts.slice(0, 2))).toBeUndefined()
  expect(limitsFault(bounds, accounts)).toMatchObject({
    reason: 'DECIMALS_TOO_MANY',
    detail: 'amounts in XOF have at most 0 decimals',
  })
})
