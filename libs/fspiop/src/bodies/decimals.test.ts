import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { finerAmount } from './decimals.ts'

const bounds = new Map([
  ['USD', 2],
  ['XOF', 0],
])

test('An amount that is finer than its currency is found at any depth, and named by its path', () => {
  const usd = (amount: string) => ({ currency: 'USD', amount })
  expect(finerAmount({ amount: usd('1.25') }, bounds)).toBeUndefined()
  expect(finerAmount({ amount: usd('1.255') }, bounds)).toEqual({
    code: '3100',
    detail: '/amount/amount: amounts in USD have at most 2 decimals',
  })
  const items = [
    { transferAmount: usd('1') },
    { transferAmount: { currency: 'XOF', amount: '0.5' } },
  ]
  expect(finerAmount({ individualTransfers: items }, bounds)?.detail).toBe(
    '/individualTransfers/1/transferAmount/amount: amounts in XOF have at most 0 decimals',
  )
})

test('An amount in a currency without bound, and a text that is no amount, are not refused for it', () => {
  expect(finerAmount({ amount: { currency: 'EUR', amount: '0.0001' } }, bounds)).toBeUndefined()
  expect(finerAmount({ amount: { currency: 'USD', amount: '1.5555x' } }, bounds)).toBeUndefined()
  expect(finerAmount({ amount: 'ciphertext', currency: 'USD' }, bounds)).toBeUndefined()
})

test('An amount of a body is found exactly if it has more decimals than its currency', () => {
  const path = fc.array(fc.constantFrom('amount', 'fees', 'list'), { maxLength: 6 })
  fc.assert(
    fc.property(path, fc.integer({ min: 1, max: 9_999 }), (names, part) => {
      const amount = `7.${String(part).padStart(4, '0').replace(/0+$/, '')}`
      const inner: unknown = { note: 'x', money: { currency: 'USD', amount } }
      const json = names.reduceRight(
        (value, name) => (name === 'list' ? [value] : { [name]: value }),
        inner,
      )
      expect(finerAmount(json, bounds) !== undefined).toBe(part % 100 !== 0)
    }),
  )
})
