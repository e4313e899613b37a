/**
 * Validates a schedule: cron in UTC, with the fields minute, hour, day, month and weekday,
 * optionally preceded by seconds.
 */
import { Cron } from 'croner'

const length_max = 100

/** The error as a clause; undefined when the schedule has at least one future time. */
export function cronFault(cron: string, now: Date): string | undefined {
  if (cron.length > length_max) return `a schedule has at most ${length_max} characters`
  try {
    const next = new Cron(cron, { timezone: 'UTC', mode: '5-or-6-parts' }).nextRun(now)
    return next === null ? `${cron} has no future time` : undefined
  } catch {
    return `${cron} is not a cron expression of five or six fields`
  }
}
