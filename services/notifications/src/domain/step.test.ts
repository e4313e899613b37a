import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pause_ms } from './backoff.ts'
import { attempt_ms_max, stepAfter, type AttemptEnd } from './step.ts'

const backoff = { first_ms: 1_000, max_ms: 300_000 }
const day_ms = 86_400_000

function tryAgain(error = 'answered 503'): AttemptEnd {
  return {
    type: 'ATTEMPTED',
    verdict: { type: 'TRY_AGAIN', healthy: false, error },
    httpStatus: 503,
    began_ms: 1,
  }
}

describe('The pause between attempts', () => {
  test('The pause doubles from one second up to five minutes', () => {
    const even = (attempts: number) => pause_ms(attempts, 0.5, backoff)
    expect([1, 2, 3, 4, 9, 10, 11].map(even)).toEqual([
      1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
    ])
  })

  test('The pause has a jitter of 20 % in both directions and never overflows', () => {
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, chance) => {
          const pause = pause_ms(attempts, chance, backoff)
          expect(pause).toBeGreaterThanOrEqual(800)
          expect(pause).toBeLessThanOrEqual(360_000)
        },
      ),
    )
  })
})

describe('The time of an attempt', () => {
  test('An attempt whose failure no sender waits for has all of its time', () => {
    const soon = { deadline_ms: 1, isAwaited: false }
    expect(attempt_ms_max(soon, 0, 10_000)).toBe(10_000)
  })

  test('An awaited attempt ends with the deadline, and has the time that a healthy FSP needs', () => {
    const awaited = { deadline_ms: 7_000, isAwaited: true }
    expect(attempt_ms_max(awaited, 0, 10_000)).toBe(7_000)
    expect(attempt_ms_max(awaited, 0, 5_000)).toBe(5_000)
    expect(attempt_ms_max(awaited, 6_999, 10_000)).toBe(2_000)
    expect(attempt_ms_max(awaited, 9_000, 1_000)).toBe(1_000)
  })
})

describe('The state after an attempt', () => {
  const past = { attempts: 2, deadline_ms: day_ms }

  test('A delivery ends the notification with success', () => {
    const verdict = { type: 'DELIVERED', healthy: true, error: '' } as const
    expect(
      stepAfter(
        past,
        { type: 'ATTEMPTED', verdict, httpStatus: 202, began_ms: 1 },
        5,
        0.5,
        backoff,
      ),
    ).toEqual({ type: 'ENDED', status: 'SUCCESS', attempts: 3, httpStatus: 202, error: null })
  })

  test('A notification to be retried waits for its pause', () => {
    expect(stepAfter(past, tryAgain(), 10_000, 0.5, backoff)).toEqual({
      type: 'WAITS',
      attempts: 3,
      next_attempt_ms: 14_000,
      httpStatus: 503,
      error: 'answered 503',
    })
  })

  test('The pause never exceeds the deadline', () => {
    const soon = { attempts: 8, deadline_ms: 30_000 }
    expect(stepAfter(soon, tryAgain(), 10_000, 0.5, backoff)).toMatchObject({
      type: 'WAITS',
      next_attempt_ms: 30_000,
    })
  })

  test('An attempt that did not begin is not counted, and the next one is due at once', () => {
    expect(stepAfter(past, { type: 'NOT_BEGUN' }, 7, 0.5, backoff)).toMatchObject({
      type: 'WAITS',
      attempts: 2,
      next_attempt_ms: 7,
    })
  })

  test('A passed deadline fails the notification without an attempt', () => {
    expect(stepAfter(past, { type: 'EXPIRED' }, 7, 0.5, backoff)).toMatchObject({
      type: 'ENDED',
      status: 'FAILED',
      attempts: 2,
    })
  })
})
