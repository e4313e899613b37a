import { expect, test } from '@jest/globals'
import { isErasable, isMonth, monthsAround } from './month.ts'

test('A month can be erased when its retention has passed since its end, not earlier', () => {
  const lastMoment = new Date('2026-11-30T23:59:59.999Z')
  expect(isErasable('2025-10', lastMoment, 12)).toBe(true)
  expect(isErasable('2025-11', lastMoment, 12)).toBe(false)
  expect(isErasable('2025-11', new Date('2026-12-01T00:00:00Z'), 12)).toBe(true)
})

test('The neighbours of a month are in other years where they have to be', () => {
  expect(monthsAround('2026-01')).toEqual(['2025-12', '2026-01', '2026-02'])
  expect(monthsAround('2026-12')).toEqual(['2026-11', '2026-12', '2027-01'])
})

test('Only a year with a month from 01 to 12 is a month', () => {
  expect(['2026-01', '2026-12'].every(isMonth)).toBe(true)
  expect(['2026-00', '2026-13', '2026-1', '2026-01-01', ''].some(isMonth)).toBe(false)
})
