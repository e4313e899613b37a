/**
 * The next state of a notification after an attempt, or after none was made: it has ended, or it waits
 * for its next attempt.
 */
import { pause_ms, type BackoffBounds } from './backoff.ts'
import type { FspRefusal, AttemptVerdict } from './verdict.ts'

/** How a notification left its lane. */
export type AttemptEnd =
  | {
      readonly type: 'ATTEMPTED'
      readonly verdict: AttemptVerdict
      readonly httpStatus: number | null
      readonly began_ms: number
      /** The error in the answer of a refusing FSP. */
      readonly refusal?: FspRefusal | undefined
    }
  /** Its deadline passed before the attempt could begin. */
  | { readonly type: 'EXPIRED' }
  /** Nothing was sent: its stored body is erased, or its key is lost. */
  | { readonly type: 'UNREADABLE' }
  /** Nothing was sent: the circuit is open, or all slots wait for an answer. */
  | { readonly type: 'NOT_BEGUN' }

export type NextNotificationState =
  | {
      readonly type: 'ENDED'
      readonly status: 'SUCCESS' | 'FAILED'
      readonly attempts: number
      readonly httpStatus: number | null
      readonly error: string | null
    }
  | {
      readonly type: 'WAITS'
      readonly attempts: number
      readonly next_attempt_ms: number
      readonly httpStatus: number | null
      readonly error: string | null
    }

export interface AttemptHistory {
  /** Attempts before this one. */
  readonly attempts: number
  readonly deadline_ms: number
}

/** Within this time a healthy FSP answers. */
const healthy_ms = 2_000

/**
 * How long an attempt may take. Where the sender of a message waits for its failure, the attempt ends with
 * the deadline, but has the time in which a healthy FSP answers.
 */
export function attempt_ms_max(
  { deadline_ms, isAwaited }: { readonly deadline_ms: number; readonly isAwaited: boolean },
  now_ms: number,
  timeout_ms: number,
): number {
  if (!isAwaited) return timeout_ms
  return Math.min(timeout_ms, Math.max(deadline_ms - now_ms, healthy_ms))
}

/** `chance` is between 0 and 1 and gives the jitter of the pause. */
export function stepAfter(
  past: AttemptHistory,
  end: AttemptEnd,
  now_ms: number,
  chance: number,
  backoff: BackoffBounds,
): NextNotificationState {
  const { attempts, deadline_ms } = past
  switch (end.type) {
    case 'NOT_BEGUN':
      return { type: 'WAITS', attempts, next_attempt_ms: now_ms, httpStatus: null, error: null }
    case 'EXPIRED':
      return failed(attempts, null, 'the deadline passed before it could be delivered')
    case 'UNREADABLE':
      return failed(attempts, null, 'its stored body is erased or cannot be read')
    case 'ATTEMPTED':
      return afterVerdict(attempts + 1, deadline_ms, end, now_ms, chance, backoff)
  }
}

function failed(attempts: number, httpStatus: number | null, error: string): NextNotificationState {
  return { type: 'ENDED', status: 'FAILED', attempts, httpStatus, error }
}

/** The pause ends at the deadline at the latest; a notification that waits until then fails then. */
function afterVerdict(
  attempts: number,
  deadline_ms: number,
  { verdict, httpStatus }: Extract<AttemptEnd, { type: 'ATTEMPTED' }>,
  now_ms: number,
  chance: number,
  backoff: BackoffBounds,
): NextNotificationState {
  switch (verdict.type) {
    case 'DELIVERED':
      return { type: 'ENDED', status: 'SUCCESS', attempts, httpStatus, error: null }
    case 'GIVEN_UP':
      return failed(attempts, httpStatus, verdict.error)
    case 'TRY_AGAIN':
      return {
        type: 'WAITS',
        attempts,
        next_attempt_ms: Math.min(now_ms + pause_ms(attempts, chance, backoff), deadline_ms),
        httpStatus,
        error: verdict.error,
      }
  }
}
