import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { earliestCounted_ms, firstMinute, minuteOf } from './minutes.ts'

const minute_ms = 60_000
const moment = fc.integer({ min: 10 ** 12, max: 10 ** 13 })

test('A minute begins with its second 0', () => {
  expect(minuteOf(Date.parse('2026-01-15T12:34:56.789Z'))).toBe('2026-01-15T12:34:00.000Z')
})

test('A window contains all payments in it, and none older by more than a minute', () => {
  const window = fc.integer({ min: 1, max: 1_440 })
  fc.assert(
    fc.property(
      moment,
      window,
      fc.integer({ min: 0, max: 3 * 86_400_000 }),
      (now, minutes, ago) => {
        const isIn = minuteOf(now - ago) >= firstMinute(now, minutes)
        if (ago <= minutes * minute_ms) expect(isIn).toBe(true)
        if (ago >= (minutes + 1) * minute_ms) expect(isIn).toBe(false)
      },
    ),
  )
})

test('All payments in the longest window are counted', () => {
  fc.assert(
    fc.property(moment, (now) => {
      expect(minuteOf(earliestCounted_ms(now)) <= firstMinute(now, 1_440)).toBe(true)
    }),
  )
})
