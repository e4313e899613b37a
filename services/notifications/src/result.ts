/** Converts the end of an attempt to a result that can be stored; reads the clock and randomness. */
import type { Notification, NotificationResult } from './contract.ts'
import type { BackoffBounds } from './domain/backoff.ts'
import { stepAfter, type AttemptEnd } from './domain/step.ts'
import { noTries, withTry, type Try } from './domain/tries.ts'

export interface Tried {
  readonly notification: Notification
  /** Attempts before this end. */
  readonly attempts: number
  readonly tries: readonly Try[]
  readonly stored: boolean
}

export function resultOf(
  tried: Tried,
  end: AttemptEnd,
  backoff: BackoffBounds,
): NotificationResult {
  const { notification, attempts, stored } = tried
  const { deadline_ms } = notification
  const now_ms = Date.now()
  const tries = triesAfter(tried.tries, end, now_ms)
  const step = stepAfter({ attempts, deadline_ms }, end, now_ms, Math.random(), backoff)
  if (step.type === 'ENDED') {
    const refusal = end.type === 'ATTEMPTED' ? end.refusal : undefined
    return { ...step, notification, stored, tries, ended_ms: now_ms, refusal }
  }
  return { ...step, notification, stored, tries, busy_until_ms: 0 }
}

function triesAfter(tries: readonly Try[], end: AttemptEnd, now_ms: number): readonly Try[] {
  if (end.type !== 'ATTEMPTED') return tries
  const { began_ms, httpStatus, verdict } = end
  const error = verdict.type === 'DELIVERED' ? null : verdict.error
  return withTry(tries, { began_ms, duration_ms: now_ms - began_ms, httpStatus, error })
}

/** An attempt that ends in time is stored within this time after its end. */
export const storing_ms = 1_000

/** A first attempt that is no longer waited for; undefined: it never began. */
export function parkedResult(
  notification: Notification,
  over_ms: number | undefined,
): NotificationResult {
  return {
    type: 'WAITS',
    notification,
    attempts: over_ms === undefined ? 0 : 1,
    next_attempt_ms: over_ms ?? Date.now(),
    busy_until_ms: over_ms === undefined ? 0 : over_ms + storing_ms,
    httpStatus: null,
    error: null,
    tries: noTries,
    stored: false,
  }
}

/** The result of a notification that is not sent because its idempotency key has other content. */
export function modifiedResult(notification: Notification): NotificationResult {
  return {
    type: 'ENDED',
    notification,
    status: 'FAILED',
    attempts: 0,
    httpStatus: null,
    error: 'its idempotency key was used with other content',
    tries: noTries,
    ended_ms: Date.now(),
    refusal: notification.request.idempotency?.refusal,
    stored: false,
  }
}
