/**
 * Payments are counted per minute, so a window reaches back up to one minute further than
 * configured, never less.
 */
import { windowMinutes_max } from '../../rules/domain/rule.ts'

const minute_ms = 60_000

/** ISO 8601 UTC, the beginning of the minute. */
export function minuteOf(moment_ms: number): string {
  return new Date(moment_ms - (moment_ms % minute_ms)).toISOString()
}

/** The first minute that is wholly or partly in the window. */
export function firstMinute(now_ms: number, windowMinutes: number): string {
  return minuteOf(now_ms - windowMinutes * minute_ms)
}

/** Earlier payments are in no window. */
export function earliestCounted_ms(now_ms: number): number {
  return now_ms - (windowMinutes_max + 1) * minute_ms
}
