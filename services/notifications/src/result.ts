/** How the end of an attempt becomes a result that can be stored; the clock and chance enter here. */
import type { Notification, Result } from './contract.ts'
import type { BackoffBounds } from './domain/backoff.ts'
import { stepAfter, type AttemptEnd } from './domain/step.ts'

export const noEmail: AttemptEnd = {
  type: 'IMPOSSIBLE',
  reason: 'no e-mail transport configured',
}

export interface Tried {
  readonly notification: Notification
  /** Attempts before this end. */
  readonly attempts: number
  readonly stored: boolean
}

export function resultOf(tried: Tried, end: AttemptEnd, backoff: BackoffBounds): Result {
  const { notification, attempts, stored } = tried
  const { deadline_ms } = notification
  const now_ms = Date.now()
  const step = stepAfter({ attempts, deadline_ms }, end, now_ms, Math.random(), backoff)
  if (step.type === 'ENDED') return { ...step, notification, stored, ended_ms: now_ms }
  return { ...step, notification, stored, busy_until_ms: 0 }
}

/** A first attempt that nobody waits for any longer; it is over at the latest at `busy_until_ms`. */
export function parkedResult(
  notification: Notification,
  busy_until_ms: number | undefined,
): Result {
  return {
    type: 'WAITS',
    notification,
    attempts: busy_until_ms === undefined ? 0 : 1,
    next_attempt_ms: busy_until_ms ?? Date.now(),
    busy_until_ms: busy_until_ms ?? 0,
    httpStatus: null,
    error: null,
    stored: false,
  }
}
