import { describe, expect, test } from '@jest/globals'
import { boundsOf, isTooYoung, monthIn, partitionName } from './month.ts'

test('A month is written YYYY-MM and in no other way', () => {
  expect(monthIn('2026-08')).toBe('2026-08')
  for (const text of ['2026-13', '2026-00', '2026-8', '2026-08-01', 'august', '']) {
    expect(monthIn(text)).toBeUndefined()
  }
})

test('The partition of a month ends where the next month begins, also at the turn of the year', () => {
  expect(boundsOf('2026-08')).toEqual(['2026-08-01', '2026-09-01'])
  expect(boundsOf('2026-12')).toEqual(['2026-12-01', '2027-01-01'])
  expect(partitionName('messages', '2026-08')).toBe('messages_2026_08')
})

describe('Months that are too young to be archived:', () => {
  const now = new Date('2027-01-01T00:00:00Z')
  test.each([
    ['2027-02', true],
    ['2027-01', true],
    ['2026-12', true],
    ['2026-11', false],
    ['2025-12', false],
  ])('The month %s is too young to be archived on 1 January 2027: %s', (month, young) => {
    expect(isTooYoung(month, now)).toBe(young)
  })
})
