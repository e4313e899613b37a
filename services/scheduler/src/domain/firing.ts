/** The next state of a due reminder after a delivery that succeeded or failed. */
import { nextTime } from './cron.ts'
import type { Recovery, Schedule } from './reminder.ts'

export interface Firing {
  readonly schedule: Schedule
  readonly recovery: Recovery
  /** Failed attempts for this time, the last one included. */
  readonly attempts: number
}

export interface FiringBounds {
  readonly attempts_max: number
  readonly first_ms: number
  readonly max_ms: number
  readonly reschedule_ms: number
}

export type NextReminderState =
  /** It waits for its next time. */
  | { readonly type: 'NEXT'; readonly dueAt: Date }
  /** It is tried again for the same time. */
  | { readonly type: 'AGAIN'; readonly at: Date }
  /** It has ended and is deleted. */
  | { readonly type: 'GONE' }
  /** It has ended and is retained for operators. */
  | { readonly type: 'FAILED' }

/** Missed times are not delivered one by one: the next due time is always in the future. */
export function afterDelivery(schedule: Schedule, now: Date): NextReminderState {
  if (schedule.type === 'ONCE') return { type: 'GONE' }
  const dueAt = nextTime(schedule.cron, now)
  return dueAt === null ? { type: 'GONE' } : { type: 'NEXT', dueAt }
}

/** `chance` is between 0 and 1 and is the jitter of the pause. */
export function afterFailure(
  { schedule, recovery, attempts }: Firing,
  now: Date,
  chance: number,
  bounds: FiringBounds,
): NextReminderState {
  switch (recovery) {
    case 'RETRY':
      return attempts < bounds.attempts_max
        ? { type: 'AGAIN', at: later(now, pause_ms(attempts, chance, bounds)) }
        : skipTime(schedule, now)
    case 'RESCHEDULE':
      if (schedule.type === 'CRON') return skipTime(schedule, now)
      return attempts < bounds.attempts_max
        ? { type: 'AGAIN', at: later(now, bounds.reschedule_ms) }
        : { type: 'FAILED' }
    case 'ABORT':
      return { type: 'FAILED' }
    case 'ABANDON':
      return { type: 'GONE' }
  }
}

/** This due time is skipped. A recurring reminder continues with its next one. */
function skipTime(schedule: Schedule, now: Date): NextReminderState {
  return schedule.type === 'ONCE' ? { type: 'FAILED' } : afterDelivery(schedule, now)
}

const jitter = 0.2

function pause_ms(attempts: number, chance: number, { first_ms, max_ms }: FiringBounds): number {
  const doublings = Math.min(Math.max(attempts - 1, 0), 30)
  const even_ms = Math.min(first_ms * 2 ** doublings, max_ms)
  return Math.round(even_ms * (1 - jitter + 2 * jitter * chance))
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms)
}
