/** Whether there is such a schedule: cron in UTC, minute hour day month weekday, or with seconds before. */
import { Cron } from 'croner'

const length_max = 100

/** What is wrong with it, as half a sentence; undefined when it comes at least once more. */
export function cronFault(cron: string, now: Date): string | undefined {
  if (cron.length > length_max) return `a schedule has at most ${length_max} characters`
  try {
    const next = new Cron(cron, { timezone: 'UTC', mode: '5-or-6-parts' }).nextRun(now)
    return next === null ? `${cron} never comes` : undefined
  } catch {
    return `${cron} is no cron expression of five or six fields`
  }
}
