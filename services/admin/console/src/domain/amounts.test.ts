import { describe, expect, test } from '@jest/globals'
import { barOf, coverText, isNegative, shownAmount, type Cover } from './amounts.ts'

test('Amounts retain their digits, with thousands separated', () => {
  const amounts = ['0', 12, '1234567.5', '-1000', '123456789012345678.1234']
  expect(amounts.map((amount) => shownAmount(amount))).toEqual([
    '0',
    '12',
    '1\u202f234\u202f567.5',
    '−1\u202f000',
    '123\u202f456\u202f789\u202f012\u202f345\u202f678.1234',
  ])
})

test('An amount has the decimals of its currency, and more when it has more', () => {
  expect(shownAmount('10', 'USD')).toBe('10.00')
  expect(shownAmount('-0.5', 'USD')).toBe('−0.50')
  expect(shownAmount('1.2345', 'USD')).toBe('1.2345')
  expect(shownAmount(1000, 'UGX')).toBe('1\u202f000')
  expect(shownAmount('7', 'BHD')).toBe('7.000')
  expect(shownAmount('7', 'a future currency')).toBe('7')
})

test('Text that is not an amount is shown unchanged', () => {
  expect(shownAmount('?')).toBe('?')
})

test('The sign of an amount is recognized', () => {
  expect([isNegative(-5), isNegative('-0.1'), isNegative('5')]).toEqual([true, true, false])
})

const cover: Cover = {
  position: 50,
  reserved: 0,
  netDebitCap: 100,
  liquidity: 200,
  excluded: 0,
}

describe('a bar', () => {
  test('A bar is as long as the largest of position, cap and cover', () => {
    expect(barOf(cover)).toEqual({ used: 25, cap: 50, cover: 100, usedPercent: 50 })
  })

  test('A bar counts reserved amounts as used, and excluded ones not as cover', () => {
    const bar = barOf({ ...cover, reserved: '30', excluded: 100 })
    expect(bar).toEqual({ used: 80, cap: 100, cover: 100, usedPercent: 80 })
  })

  test('The bar of a participant that is owed money is empty', () => {
    expect(barOf({ ...cover, position: -50 })).toMatchObject({ used: 0, usedPercent: 0 })
  })

  test('A bar without cap or cover is full', () => {
    expect(barOf({ ...cover, netDebitCap: null }).usedPercent).toBe(100)
    expect(barOf({ ...cover, liquidity: 0 }).usedPercent).toBe(100)
  })
})

test('A bar has a text of its amounts, without those that are zero', () => {
  expect(coverText(cover)).toBe('position 50, limit 100, cover 200')
  const more: Cover = { ...cover, reserved: 1.5, netDebitCap: null, excluded: '20' }
  expect(coverText(more)).toBe(
    'position 50, reserved 1.5, no limit yet, cover 200, of which 20 is excluded',
  )
})

test('The text of a bar has the decimals of the currency', () => {
  expect(coverText(cover, 'USD')).toBe('position 50.00, limit 100.00, cover 200.00')
})
