import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cronFault, nextTime } from './cron.ts'

test.each([
  ['0 18 * * *', '2030-01-02T17:59:59.999Z', '2030-01-02T18:00:00.000Z'],
  ['0 18 * * *', '2030-01-02T18:00:00.000Z', '2030-01-03T18:00:00.000Z'],
  ['30 16 * * MON-FRI', '2030-01-04T16:30:00.000Z', '2030-01-07T16:30:00.000Z'],
  ['*/15 * * * *', '2030-01-02T03:04:05.006Z', '2030-01-02T03:15:00.000Z'],
  ['0 0 L * *', '2028-02-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
  ['10 * * * * *', '2030-01-02T03:04:10.000Z', '2030-01-02T03:05:10.000Z'],
])('%s after %s comes at %s', (cron, after, next) => {
  expect(nextTime(cron, new Date(after))?.toISOString()).toBe(next)
})

test('Daylight saving time does not change the times of a schedule, which are in UTC', () => {
  expect(nextTime('30 1 * * *', new Date('2030-03-31T00:59:00Z'))?.toISOString()).toBe(
    '2030-03-31T01:30:00.000Z',
  )
})

test.each(['', '* * *', '61 * * * *', 'tomorrow', '* * * * * * 2030'])(
  'The cron expression %j is refused',
  (cron) => {
    expect(cronFault(cron, new Date())).toContain('is not a cron expression')
  },
)

test('A cron expression that never matches a time is refused', () => {
  expect(cronFault('0 0 30 2 *', new Date())).toBe('0 0 30 2 * never matches a time')
  expect(cronFault('0 18 * * *', new Date())).toBeUndefined()
})

test('The next time is after the given time, and the same for a time just before it', () => {
  const moments = fc.date({
    min: new Date('2025-01-01T00:00:00Z'),
    max: new Date('2035-01-01T00:00:00Z'),
    noInvalidDate: true,
  })
  const crons = fc
    .tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 }))
    .map(([minute, hour]) => `${minute} ${hour} * * *`)
  fc.assert(
    fc.property(crons, moments, (cron, after) => {
      const next = nextTime(cron, after)
      if (next === null) throw new Error(`${cron} never comes`)
      expect(next.getTime()).toBeGreaterThan(after.getTime())
      expect(next.getTime() - after.getTime()).toBeLessThanOrEqual(86_400_000)
      expect(nextTime(cron, new Date(next.getTime() - 1_000))).toEqual(next)
    }),
  )
})
