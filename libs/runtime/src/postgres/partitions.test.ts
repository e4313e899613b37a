import { expect, test } from '@jest/globals'
import { monthOf } from './partitions.ts'

test('the month of a time is its first day in UTC', () => {
  expect(monthOf(new Date('2026-12-31T23:59:59.999Z'))).toBe('2026-12-01')
  expect(monthOf(new Date('2027-01-01T00:30:00+01:00'))).toBe('2026-12-01')
})
