import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatAmount, parseAmount } from './amount.ts'
import { exceededDecimals } from './decimals.ts'

const bounds = new Map([
  ['XOF', 0],
  ['USD', 2],
  ['BHD', 3],
  ['CLF', 4],
])

test.each([
  ['1', 'XOF', undefined],
  ['0.5', 'XOF', 0],
  ['0.25', 'USD', undefined],
  ['0.125', 'USD', 2],
  ['0.125', 'BHD', undefined],
  ['0.0625', 'BHD', 3],
  ['0.0625', 'CLF', undefined],
  ['0.0625', 'EUR', undefined],
])('%s %s exceeds the decimals %p', (amount, currency, exceeded) => {
  expect(exceededDecimals(bounds, currency, parseAmount(amount) ?? -1n)).toBe(exceeded)
  expect(exceededDecimals(undefined, currency, parseAmount(amount) ?? -1n)).toBeUndefined()
})

test('An amount, of either sign, is too fine exactly if it is written with more decimals', () => {
  const units = fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n })
  fc.assert(
    fc.property(units, fc.constantFrom(...bounds), (amount, [currency, decimals]) => {
      const [, places = ''] = formatAmount(amount).split('.')
      const exceeded = places.length > decimals ? decimals : undefined
      expect(exceededDecimals(bounds, currency, amount)).toBe(exceeded)
    }),
  )
})
