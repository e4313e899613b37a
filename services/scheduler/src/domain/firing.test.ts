import { describe, expect, test } from '@jest/globals'
import { afterFailure, afterDelivery, type FiringBounds } from './firing.ts'
import type { Recovery, Schedule } from './reminder.ts'

const now = new Date('2030-01-02T18:00:03.000Z')
const once: Schedule = { type: 'ONCE', at: new Date('2030-01-02T18:00:00.000Z') }
const daily: Schedule = { type: 'CRON', cron: '0 18 * * *' }
const tomorrow = { type: 'NEXT', dueAt: new Date('2030-01-03T18:00:00.000Z') }
const bounds: FiringBounds = {
  attempts_max: 3,
  first_ms: 1_000,
  max_ms: 1_500,
  reschedule_ms: 60_000,
}

function failed(recovery: Recovery, schedule: Schedule, attempts = 1) {
  return afterFailure({ schedule, recovery, attempts }, now, 0.5, bounds)
}

test('A one-time reminder ends after its delivery, and a recurring one waits for its next time', () => {
  expect(afterDelivery(once, now)).toEqual({ type: 'GONE' })
  expect(afterDelivery(daily, now)).toEqual(tomorrow)
})

test('Several missed times of a recurring reminder are delivered once', () => {
  expect(afterDelivery(daily, new Date('2030-01-09T19:00:00.000Z'))).toEqual({
    type: 'NEXT',
    dueAt: new Date('2030-01-10T18:00:00.000Z'),
  })
})

describe('a reminder that could not be delivered', () => {
  test('RETRY: it is tried again with growing pauses up to a bound', () => {
    const again = (ms: number) => ({ type: 'AGAIN', at: new Date(now.getTime() + ms) })
    expect(failed('RETRY', once, 1)).toEqual(again(1_000))
    expect(failed('RETRY', once, 2)).toEqual(again(1_500))
  })

  test('RETRY: it fails after the last attempt, and a recurring one waits for its next time', () => {
    expect(failed('RETRY', once, 3)).toEqual({ type: 'FAILED' })
    expect(failed('RETRY', daily, 3)).toEqual(tomorrow)
  })

  test('RESCHEDULE: this due time is skipped', () => {
    expect(failed('RESCHEDULE', daily)).toEqual(tomorrow)
    expect(failed('RESCHEDULE', once)).toEqual({
      type: 'AGAIN',
      at: new Date('2030-01-02T18:01:03.000Z'),
    })
    expect(failed('RESCHEDULE', once, 3)).toEqual({ type: 'FAILED' })
  })

  test.each([once, daily])(
    'ABORT ends it and retains it, ABANDON deletes it: $type',
    (schedule) => {
      expect(failed('ABORT', schedule)).toEqual({ type: 'FAILED' })
      expect(failed('ABANDON', schedule)).toEqual({ type: 'GONE' })
    },
  )
})
