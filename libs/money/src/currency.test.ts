import { expect, test } from '@jest/globals'
import { currencies, currencyExponent, isCurrency } from './currency.ts'

test.each([
  ['USD', 2],
  ['EUR', 2],
  ['JPY', 0],
  ['UGX', 0],
  ['BHD', 3],
  ['TND', 3],
  ['CLF', 4],
  ['UYW', 4],
  ['UYI', 0],
  ['MRO', 2],
  ['MRU', 2],
  ['SLL', 2],
  ['SLE', 2],
  ['XCG', 2],
  ['TVD', 2],
  ['XTS', 0],
  ['XXX', 0],
  ['XDR', 0],
  ['XAU', 0],
])('%s has %p decimals', (code, exponent) => {
  expect(currencyExponent(code)).toBe(exponent)
  expect(isCurrency(code)).toBe(true)
})

test.each(['', 'usd', 'US', 'USDX', 'ZZZ', ' USD', 'toString', '__proto__'])(
  '%j is not a currency',
  (code) => {
    expect(isCurrency(code)).toBe(false)
    expect(currencyExponent(code)).toBeUndefined()
  },
)

test('All 162 published codes and the 29 missing from that list are present, each once', () => {
  expect(new Set(currencies).size).toBe(currencies.length)
  expect(currencies).toHaveLength(191)
  expect(currencies.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true)
  expect([...currencies].sort()).toEqual(currencies)
})

test('The number of codes per exponent matches ISO 4217 and the published list', () => {
  const counts = [0, 2, 3, 4].map(
    (exponent) => currencies.filter((code) => currencyExponent(code) === exponent).length,
  )
  expect(counts).toEqual([17 + 1 + 12, 127 + 11 + 14, 7, 2])
})
