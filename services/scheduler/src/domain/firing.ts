/** What becomes of a reminder whose time has come: after it was told, and after it could not be. */
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

export type Step =
  /** It waits for its next time. */
  | { readonly type: 'NEXT'; readonly dueAt: Date }
  /** It is tried again for the same time. */
  | { readonly type: 'AGAIN'; readonly at: Date }
  /** It is over and forgotten. */
  | { readonly type: 'GONE' }
  /** It is over, and kept for somebody to look at. */
  | { readonly type: 'FAILED' }

/** Times that were missed meanwhile are not made up for: the next one lies ahead. */
export function afterTold(schedule: Schedule, now: Date): Step {
  if (schedule.type === 'ONCE') return { type: 'GONE' }
  const dueAt = nextTime(schedule.cron, now)
  return dueAt === null ? { type: 'GONE' } : { type: 'NEXT', dueAt }
}

/** `chance` lies between 0 and 1 and spreads the pauses. */
export function afterFailure(
  { schedule, recovery, attempts }: Firing,
  now: Date,
  chance: number,
  bounds: FiringBounds,
): Step {
  switch (recovery) {
    case 'RETRY':
      return attempts < bounds.attempts_max
        ? { type: 'AGAIN', at: later(now, pause_ms(attempts, chance, bounds)) }
        : givenUp(schedule, now)
    case 'RESCHEDULE':
      if (schedule.type === 'CRON') return givenUp(schedule, now)
      return attempts < bounds.attempts_max
        ? { type: 'AGAIN', at: later(now, bounds.reschedule_ms) }
        : { type: 'FAILED' }
    case 'ABORT':
      return { type: 'FAILED' }
    case 'ABANDON':
      return { type: 'GONE' }
  }
}

/** This time is given up: a recurring reminder still comes at its next one. */
function givenUp(schedule: Schedule, now: Date): Step {
  return schedule.type === 'ONCE' ? { type: 'FAILED' } : afterTold(schedule, now)
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
