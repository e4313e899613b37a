import { describe, expect, test } from '@jest/globals'
import {
  cronOf,
  endOf,
  isDay,
  lastEnded,
  missedDays,
  nextDay,
  readCalendar,
  scopesOf,
  type Calendar,
} from './calendar.ts'

function calendarOf(scheme: string, byCurrency = ''): Calendar {
  const calendar = readCalendar(scheme, byCurrency)
  if (typeof calendar === 'string') throw new Error(calendar)
  return calendar
}

const evening = calendarOf('22:00', 'KES=21:30')
const midnight = calendarOf('24:00')

test('A day ends at its time of the same date, and 24:00 is the midnight at its end', () => {
  expect(endOf(evening, '', '2026-11-25').toISOString()).toBe('2026-11-25T22:00:00.000Z')
  expect(endOf(evening, 'KES', '2026-11-25').toISOString()).toBe('2026-11-25T21:30:00.000Z')
  expect(endOf(midnight, '', '2026-12-31').toISOString()).toBe('2027-01-01T00:00:00.000Z')
})

test.each([
  [evening, '2026-11-25T21:59:59.999Z', '2026-11-24'],
  [evening, '2026-11-25T22:00:00.000Z', '2026-11-25'],
  [midnight, '2026-11-25T23:59:59.999Z', '2026-11-24'],
  [midnight, '2026-11-26T00:00:00.000Z', '2026-11-25'],
])('A day has ended at the moment of its end and not before: %#', (calendar, now, day) => {
  expect(lastEnded(calendar, '', new Date(now))).toBe(day)
})

describe('Missed days are', () => {
  test.each([
    ['only the last one, where nothing was reported yet', null, ['2026-03-02']],
    ['none, where the last one was reported', '2026-03-02', []],
    [
      'all after the last reported one, across a month',
      '2026-02-27',
      ['2026-02-28', '2026-03-01', '2026-03-02'],
    ],
    ['none, where a later day was ended by hand', '2026-03-03', []],
  ])('%s', (_what, last, days) => {
    expect(missedDays(last, '2026-03-02')).toEqual(days)
  })

  test('Missed days are the newest ones, where there are more than the maximum', () => {
    const days = missedDays('2020-01-01', '2026-03-02')
    expect(days).toHaveLength(366)
    expect(days.at(-1)).toBe('2026-03-02')
  })
})

test('Each end of day has its schedule in UTC', () => {
  expect(scopesOf(evening).map((scope) => [scope, cronOf(evening, scope)])).toEqual([
    ['', '0 22 * * *'],
    ['KES', '30 21 * * *'],
  ])
  expect(cronOf(midnight, '')).toBe('0 0 * * *')
})

test.each([
  ['25:00', ''],
  ['00:00', ''],
  ['22:60', ''],
  ['24:01', ''],
  ['10 pm', ''],
  ['22:00', 'KES'],
  ['22:00', 'kes=21:00'],
  ['22:00', 'KES=21:00,KES=22:00'],
])('An end of day of %j and %j is refused with its fault', (scheme, byCurrency) => {
  expect(typeof readCalendar(scheme, byCurrency)).toBe('string')
})

test.each([
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['never', false],
])('%s is a day: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected)
})

test('The day after the last one of a year is the first one of the next', () => {
  expect(nextDay('2026-12-31')).toBe('2027-01-01')
})
