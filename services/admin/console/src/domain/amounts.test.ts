import { describe, expect, test } from '@jest/globals'
import { barOf, isNegative, magnitude, shownAmount } from './amounts.ts'

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
  expect([isNegative(-5), isNegative('5'), magnitude('-5.25')]).toEqual([true, false, '5.25'])
})

describe('a bar', () => {
  test('is as long as the largest of position, cap and cover', () => {
    expect(barOf(50, 100, 200)).toEqual({ used: 25, cap: 50, cover: 100, usedPercent: 50 })
  })

  test('of a participant that is owed money uses nothing', () => {
    expect(barOf(-50, 100, 100)).toMatchObject({ used: 0, usedPercent: 0 })
  })

  test('without cap or cover is full', () => {
    expect(barOf(0, 0, 100).usedPercent).toBe(100)
    expect(barOf(0, 100, -1).usedPercent).toBe(100)
  })
})
