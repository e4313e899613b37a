import type { ActiveAlarmKind } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  decideAlarms,
  isBreached,
  quiet,
  remainingPercentage,
  type AlarmRules,
  type Alarms,
  type PositionReading,
} from './alarm.ts'

const minute_ms = 60_000
const rules: AlarmRules = {
  interval_ms: 60 * minute_ms,
  notified_max: 3,
  reset_ms: 24 * 60 * minute_ms,
}

const units = (amount: number): bigint => BigInt(Math.round(amount * 10_000))

function reading(position: number, changes: Partial<PositionReading> = {}): PositionReading {
  return {
    position: units(position),
    limit: units(1_000),
    alarmPercentage: units(10),
    wasRefused: false,
    ...changes,
  }
}

/** Takes readings one after the other, each at a minute, and returns what was notified at each. */
function tell(
  steps: readonly (readonly [minute: number, reading: PositionReading])[],
): readonly (readonly ActiveAlarmKind[])[] {
  let alarms: Alarms = quiet
  return steps.map(([minute, now]) => {
    const decision = decideAlarms(alarms, now, new Date(minute * minute_ms), rules)
    alarms = decision.alarms
    return decision.notified
  })
}

describe('with a cap of 1000 and an alarm at 10 percent', () => {
  test('899 notifies nothing, 900 once, 950 nothing within the interval, and 900 again after a recovery', () => {
    expect(
      tell([
        [0, reading(899)],
        [1, reading(900)],
        [2, reading(950)],
        [3, reading(500)],
        [4, reading(900)],
      ]),
    ).toEqual([[], ['THRESHOLD'], [], [], ['THRESHOLD']])
  })

  test('A lasting breach is notified three times, an interval apart, and again after the reset', () => {
    expect(
      tell([
        [0, reading(900)],
        [59, reading(950)],
        [60, reading(950)],
        [119, reading(950)],
        [120, reading(960)],
        [600, reading(960)],
        [1_439, reading(960)],
        [1_440, reading(960)],
      ]),
    ).toEqual([['THRESHOLD'], [], ['THRESHOLD'], [], ['THRESHOLD'], [], [], ['THRESHOLD']])
  })
})

test('Refused transfers are notified once until the interval has passed, though the position is low', () => {
  const refused = reading(100, { wasRefused: true })
  expect(
    tell([
      [0, refused],
      [1, refused],
      [2, reading(100)],
      [3, refused],
      [61, refused],
    ]),
  ).toEqual([['LIMIT'], [], [], [], ['LIMIT']])
})

test('The first refusal after a raised limit or a recovery is notified', () => {
  const refused = reading(950, { wasRefused: true })
  const more = { limit: units(2_000) }
  expect(
    tell([
      [0, refused],
      [1, reading(500)],
      [2, refused],
      [3, reading(950, more)],
      [4, reading(950, { ...more, wasRefused: true })],
    ]),
  ).toEqual([['THRESHOLD', 'LIMIT'], [], ['THRESHOLD', 'LIMIT'], [], ['LIMIT']])
})

test('A refusal in a batch in which the position also recovers is notified', () => {
  expect(
    tell([
      [0, reading(950, { wasRefused: true })],
      [1, reading(100, { wasRefused: true })],
    ]),
  ).toEqual([['THRESHOLD', 'LIMIT'], ['LIMIT']])
})

test('Without a limit no alarm is raised, and active alarms stay active', () => {
  expect(isBreached(reading(10, { limit: 0n }))).toBe(false)
  expect(
    tell([
      [0, reading(950)],
      [1, reading(950, { limit: 0n })],
      [2, reading(950)],
    ]),
  ).toEqual([['THRESHOLD'], [], []])
})

test.each([
  [900, 10],
  [899.9999, 10.0001],
  [0, 100],
  [-500, 150],
  [1_200, -20],
])('At a position of %d of 1000, %d percent remain', (position, percentage) => {
  const remaining = remainingPercentage(reading(position))
  expect(remaining - units(percentage)).toBeLessThanOrEqual(1n)
  expect(units(percentage) - remaining).toBeLessThanOrEqual(1n)
})

describe('for any readings', () => {
  const step = fc.record({
    pause_ms: fc.integer({ min: 0, max: 3 * rules.interval_ms }),
    position: fc.integer({ min: -200, max: 1_300 }),
    limit: fc.integer({ min: 0, max: 1_500 }),
    wasRefused: fc.boolean(),
  })

  function play(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
    let alarms: Alarms = quiet
    let now_ms = 0
    return steps.map(({ pause_ms, position, limit, wasRefused }) => {
      now_ms += pause_ms
      const before = alarms
      const now = reading(position, { limit: units(limit), wasRefused })
      const { alarms: after, notified } = decideAlarms(before, now, new Date(now_ms), rules)
      alarms = after
      return { now_ms, before, now, after, notified }
    })
  }

  test('An alarm is active during a breach and not after a recovery', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        for (const { now, after } of play(steps)) {
          if (isBreached(now)) expect(after.threshold).not.toBeNull()
          else if (now.limit > 0n) expect(after.threshold).toBeNull()
          if (now.wasRefused) expect(after.limit).not.toBeNull()
        }
      }),
    )
  })

  test('Only breaches and refusals are notified, and every notification is stored', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        for (const { now, now_ms, after, before, notified } of play(steps)) {
          expect(notified.includes('THRESHOLD')).toBe(
            after.threshold !== null && after.threshold.lastNotifiedAt.getTime() === now_ms
              ? after.threshold !== before.threshold
              : false,
          )
          if (notified.includes('THRESHOLD')) expect(isBreached(now)).toBe(true)
          if (notified.includes('LIMIT')) expect(now.wasRefused).toBe(true)
        }
      }),
    )
  })

  test('An active alarm is notified at most three times a day, an interval apart', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        for (const kind of ['threshold', 'limit'] as const) {
          for (const { before, after } of play(steps)) {
            const [old, fresh] = [before[kind], after[kind]]
            if (old === null || fresh === null || fresh.firstAt !== old.firstAt) continue
            expect(fresh.notified).toBeLessThanOrEqual(rules.notified_max)
            if (fresh === old) continue
            const pause_ms = fresh.lastNotifiedAt.getTime() - old.lastNotifiedAt.getTime()
            expect(pause_ms).toBeGreaterThanOrEqual(rules.interval_ms)
          }
        }
      }),
    )
  })

  test('A repeated reading changes and notifies nothing', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const last = play(steps).at(-1)
        if (last === undefined) return
        const again = decideAlarms(last.after, last.now, new Date(last.now_ms), rules)
        expect(again.notified).toEqual([])
        expect(again.alarms).toBe(last.after)
      }),
    )
  })
})
