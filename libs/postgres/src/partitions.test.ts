import { expect, test } from '@jest/globals'
import { filedMonthOf, monthOf } from './partitions.ts'

test('The month of a time is written as its first day in UTC', () => {
  expect(monthOf(new Date('2026-12-31T23:59:59.999Z'))).toBe('2026-12-01')
  expect(monthOf(new Date('2027-01-01T00:30:00+01:00'))).toBe('2026-12-01')
})

test('A time of another clock is stored under a month that has a partition', () => {
  const now = new Date('2027-01-15T12:00:00Z')
  const filed = (time: string) => filedMonthOf(new Date(time), now)
  expect(filed('2027-01-31T23:59:59Z')).toBe('2027-01-01')
  expect(filed('2026-12-31T23:59:59Z')).toBe('2026-12-01')
  expect(filed('2026-03-01T00:00:00Z')).toBe('2026-12-01')
  expect(filed('2031-05-01T00:00:00Z')).toBe('2027-01-01')
})

test('Where the months ahead are used too, their times have their own months', () => {
  const now = new Date('2026-12-31T23:59:59Z')
  expect(filedMonthOf(new Date('2027-01-01T00:00:00Z'), now, 2)).toBe('2027-01-01')
  expect(filedMonthOf(new Date('2031-05-01T00:00:00Z'), now, 2)).toBe('2027-02-01')
})
