import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { utcDateTime, writableTime, writeDateTime } from './date-time.ts'
import { dateTime } from './elements.ts'

const two = (number: number) => String(number).padStart(2, '0')

/** Any legal DateTime, often at the ends of the calendar. */
const legal = fc
  .record({
    at: fc.oneof(
      fc.date({
        min: new Date('1000-01-01T00:00:00.000Z'),
        max: new Date('1000-01-02T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      fc.date({
        min: new Date('9999-12-30T00:00:00.000Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      fc.date({
        min: new Date('1000-01-01T00:00:00.000Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
    ),
    sign: fc.constantFrom('+', '-'),
    hours: fc.integer({ min: 0, max: 19 }),
    minutes: fc.integer({ min: 0, max: 59 }),
    isUtc: fc.boolean(),
  })
  .map(({ at, sign, hours, minutes, isUtc }) => {
    const local = at.toISOString().slice(0, -1)
    return isUtc ? `${local}Z` : `${local}${sign}${two(hours)}:${two(minutes)}`
  })

test('Every legal DateTime is a legal DateTime in UTC, of the same moment or of the nearest legal one', () => {
  fc.assert(
    fc.property(legal, (text) => {
      fc.pre(dateTime.safeParse(text).success)
      const utc = utcDateTime(text)
      expect(dateTime.safeParse(utc).success).toBe(true)
      expect(utc.endsWith('Z')).toBe(true)
      expect(utcDateTime(utc)).toBe(utc)
      expect(Date.parse(utc)).toBe(writableTime(Date.parse(text)).getTime())
    }),
  )
})

test('A moment that no DateTime in UTC can state becomes the first or the last legal one', () => {
  expect(utcDateTime('9999-12-31T23:59:59.999-11:00')).toBe('9999-12-31T23:59:59.999Z')
  expect(utcDateTime('+010000-01-01T10:59:59.999Z')).toBe('9999-12-31T23:59:59.999Z')
  expect(utcDateTime('1000-01-01T00:00:00.000+14:00')).toBe('1000-01-01T00:00:00.000Z')
  expect(writeDateTime(new Date('0000-01-01T00:00:00.000Z'))).toBe('1000-01-01T00:00:00.000Z')
  expect(() => writeDateTime(NaN)).toThrow(RangeError)
})
