import { describe, expect, test } from '@jest/globals'
import { barOf, coverText, isNegative, shownAmount, type Cover } from './amounts.ts'

test('amounts keep their digits, with thousands apart', () => {
  expect(['0', 12, '1234567.5', '-1000', '123456789012345678.1234'].map(shownAmount)).toEqual([
    '0',
    '12',
    '1 234 567.5',
    '−1 000',
    '123 456 789 012 345 678.1234',
  ])
})

test('a sign can be told from the rest', () => {
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
  test('is as long as the largest of position, cap and cover', () => {
    expect(barOf(cover)).toEqual({ used: 25, cap: 50, cover: 100, usedPercent: 50 })
  })

  test('counts what is reserved as used, and what is excluded as no cover', () => {
    const bar = barOf({ ...cover, reserved: '30', excluded: 100 })
    expect(bar).toEqual({ used: 80, cap: 100, cover: 100, usedPercent: 80 })
  })

  test('of a participant that is owed money uses nothing', () => {
    expect(barOf({ ...cover, position: -50 })).toMatchObject({ used: 0, usedPercent: 0 })
  })

  test('without cap or cover is full', () => {
    expect(barOf({ ...cover, netDebitCap: null }).usedPercent).toBe(100)
    expect(barOf({ ...cover, liquidity: 0 }).usedPercent).toBe(100)
  })
})

test('a bar says in words what it shows, and leaves out what is nothing', () => {
  expect(coverText(cover)).toBe('position 50, limit 100, cover 200')
  const more: Cover = { ...cover, reserved: 1.5, netDebitCap: null, excluded: '20' }
  expect(coverText(more)).toBe(
    'position 50, reserved 1.5, no limit yet, cover 200, of which 20 is excluded',
  )
})
