/** When a cron expression comes next, in UTC: minute hour day month weekday, or with seconds before. */
import { Cron } from 'croner'

/** Null: never again. Throws for what is no cron expression. */
export function nextTime(cron: string, after: Date): Date | null {
  return new Cron(cron, { timezone: 'UTC', mode: '5-or-6-parts' }).nextRun(after)
}

/** What is wrong with an expression, as half a sentence; undefined when it comes at least once more. */
export function cronFault(cron: string, now: Date): string | undefined {
  try {
    return nextTime(cron, now) === null ? `${cron} never comes` : undefined
  } catch {
    return `${cron} is no cron expression of five or six fields`
  }
}
