/** The next time of a cron expression in UTC: minute hour day month weekday, optionally seconds first. */
import { Cron } from 'croner'

/** Null: it has no further time. Throws when the text is not a cron expression. */
export function nextTime(cron: string, after: Date): Date | null {
  return new Cron(cron, { timezone: 'UTC', mode: '5-or-6-parts' }).nextRun(after)
}

/** What is wrong with an expression; undefined when it is valid and has a time after `now`. */
export function cronFault(cron: string, now: Date): string | undefined {
  try {
    return nextTime(cron, now) === null ? `${cron} never matches a time` : undefined
  } catch {
    return `${cron} is not a cron expression of five or six fields`
  }
}
