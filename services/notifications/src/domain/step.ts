/**
 * What an attempt, or the lack of one, makes of a notification: it has come to its end, or it waits
 * for its next attempt.
 */
import { pause_ms, type BackoffBounds } from './backoff.ts'
import type { FspRefusal, Verdict } from './verdict.ts'

/** How a lane let go of a notification. */
export type AttemptEnd =
  | {
      readonly type: 'ATTEMPTED'
      readonly verdict: Verdict
      readonly httpStatus: number | null
      readonly began_ms: number
      /** What a refusing FSP wrote into its answer. */
      readonly refusal?: FspRefusal | undefined
    }
  /** Its deadline came before the attempt could begin. */
  | { readonly type: 'EXPIRED' }
  /** Nothing was sent: the FSP gets only trials, or all of its slots hang. */
  | { readonly type: 'NOT_BEGUN' }

export type Step =
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

/** `chance` lies between 0 and 1 and spreads the pauses. */
export function stepAfter(
  past: AttemptHistory,
  end: AttemptEnd,
  now_ms: number,
  chance: number,
  backoff: BackoffBounds,
): Step {
  const { attempts, deadline_ms } = past
  switch (end.type) {
    case 'NOT_BEGUN':
      return { type: 'WAITS', attempts, next_attempt_ms: now_ms, httpStatus: null, error: null }
    case 'EXPIRED':
      return failed(attempts, null, 'the deadline passed before it could be delivered')
    case 'ATTEMPTED':
      return afterVerdict(attempts + 1, deadline_ms, end, now_ms, chance, backoff)
  }
}

function failed(attempts: number, httpStatus: number | null, error: string): Step {
  return { type: 'ENDED', status: 'FAILED', attempts, httpStatus, error }
}

/** The pause never leads past the deadline: what waits until then fails then, and not before. */
function afterVerdict(
  attempts: number,
  deadline_ms: number,
  { verdict, httpStatus }: Extract<AttemptEnd, { type: 'ATTEMPTED' }>,
  now_ms: number,
  chance: number,
  backoff: BackoffBounds,
): Step {
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
