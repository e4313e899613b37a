import { expect, test } from '@jest/globals'
import { reserveOf } from './transfers.ts'

const item = {
  transferId: 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61',
  payerFsp: 'greenbank',
  payeeFsp: 'bluewallet',
  amount: '10',
  currency: 'USD',
  expiresAt: '2030-01-01T00:00:00.000Z',
  settlementModelId: 1,
  settles: 'NET',
  isBulkItem: false,
} as const

test('A name of 32 characters of any script is accepted', () => {
  expect(reserveOf({ ...item, payeeFsp: '🦊'.repeat(32) })).toBeDefined()
  expect(reserveOf({ ...item, payeeFsp: '🦊'.repeat(33) })).toBeUndefined()
})

test.each([
  ['an amount of zero', { amount: '0' }],
  ['an invalid amount', { amount: '1.00001' }],
  ['an invalid currency', { currency: 'usd' }],
  ['an invalid time', { expiresAt: 'tomorrow' }],
  ['a model without a kind of settlement', { settles: undefined }],
])('An item with %s is not a command', (_, change) => {
  expect(reserveOf({ ...item, ...change })).toBeUndefined()
})
