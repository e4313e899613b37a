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
  if (step.type === 'ENDED') {
    const refusal = end.type === 'ATTEMPTED' ? end.refusal : undefined
    return { ...step, notification, stored, ended_ms: now_ms, refusal }
  }
  return { ...step, notification, stored, busy_until_ms: 0 }
}

/** An attempt that ends in time is stored within this time after its end. */
export const storing_ms = 1_000

/** A first attempt that nobody waits for any longer; undefined: it never began. */
export function parkedResult(notification: Notification, over_ms: number | undefined): Result {
  return {
    type: 'WAITS',
    notification,
    attempts: over_ms === undefined ? 0 : 1,
    next_attempt_ms: over_ms ?? Date.now(),
    busy_until_ms: over_ms === undefined ? 0 : over_ms + storing_ms,
    httpStatus: null,
    error: null,
    stored: false,
  }
}
