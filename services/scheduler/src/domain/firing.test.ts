import { describe, expect, test } from '@jest/globals'
import { afterFailure, afterTold, type FiringBounds } from './firing.ts'
import type { recoveries, Schedule } from './reminder.ts'

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

function failed(recovery: (typeof recoveries)[number], schedule: Schedule, attempts = 1) {
  return afterFailure({ schedule, recovery, attempts }, now, 0.5, bounds)
}

test('told once it is gone, told on a schedule it waits for its next time', () => {
  expect(afterTold(once, now)).toEqual({ type: 'GONE' })
  expect(afterTold(daily, now)).toEqual(tomorrow)
})

test('times that were missed are told once', () => {
  expect(afterTold(daily, new Date('2030-01-09T19:00:00.000Z'))).toEqual({
    type: 'NEXT',
    dueAt: new Date('2030-01-10T18:00:00.000Z'),
  })
})

describe('what could not be told', () => {
  test('RETRY is tried again with growing pauses up to a bound', () => {
    const again = (ms: number) => ({ type: 'AGAIN', at: new Date(now.getTime() + ms) })
    expect(failed('RETRY', once, 1)).toEqual(again(1_000))
    expect(failed('RETRY', once, 2)).toEqual(again(1_500))
  })

  test('RETRY fails when all attempts have, and a recurring one comes at its next time', () => {
    expect(failed('RETRY', once, 3)).toEqual({ type: 'FAILED' })
    expect(failed('RETRY', daily, 3)).toEqual(tomorrow)
  })

  test('RESCHEDULE leaves this time out', () => {
    expect(failed('RESCHEDULE', daily)).toEqual(tomorrow)
    expect(failed('RESCHEDULE', once)).toEqual({
      type: 'AGAIN',
      at: new Date('2030-01-02T18:01:03.000Z'),
    })
    expect(failed('RESCHEDULE', once, 3)).toEqual({ type: 'FAILED' })
  })

  test.each([once, daily])('ABORT ends and is kept, ABANDON is forgotten: $type', (schedule) => {
    expect(failed('ABORT', schedule)).toEqual({ type: 'FAILED' })
    expect(failed('ABANDON', schedule)).toEqual({ type: 'GONE' })
  })
})
