/**
 * The meaning of an attempt: delivered, to be retried, or failed for good. Outcomes (PUT, PATCH) report
 * the end of a payment, so they are retried until their deadline after any client error; a refused
 * request is not retried (FSPIOP 8.4).
 */

/** The result of one attempt. */
export type Attempt =
  | {
      readonly type: 'ANSWERED'
      readonly status: number
      readonly refusal?: FspRefusal | undefined
    }
  /** No complete answer was received; `reason` says why. */
  | { readonly type: 'UNANSWERED'; readonly reason: string }

/** FSPIOP 7.6, ErrorInformation. */
export interface FspRefusal {
  readonly errorCode: string
  readonly errorDescription: string
  readonly extensionList?:
    | { readonly extension: readonly { readonly key: string; readonly value: string }[] }
    | undefined
}

export interface AttemptVerdict {
  readonly type: 'DELIVERED' | 'TRY_AGAIN' | 'GIVEN_UP'
  /** Whether the FSP is considered healthy; five unhealthy results in a row open its circuit. */
  readonly healthy: boolean
  /** The error; '' when there was none. */
  readonly error: string
}

const outcomes: ReadonlySet<string> = new Set(['PUT', 'PATCH'])
const busyStatuses: ReadonlySet<number> = new Set([408, 429])
const notImplemented = 501

/** Whether the method reports an outcome; the others are requests. */
function isOutcome(method: string): boolean {
  return outcomes.has(method)
}

export function judge(method: string, attempt: Attempt): AttemptVerdict {
  if (attempt.type === 'UNANSWERED') {
    return { type: 'TRY_AGAIN', healthy: false, error: attempt.reason }
  }
  const { status } = attempt
  if (status >= 200 && status < 300) return { type: 'DELIVERED', healthy: true, error: '' }
  const error = `answered ${status}`
  if (busyStatuses.has(status)) return { type: 'TRY_AGAIN', healthy: false, error }
  if (status >= 300 && status < 400) {
    return { type: 'GIVEN_UP', healthy: true, error: `${error}: redirects are not followed` }
  }
  if (status === notImplemented) return { type: 'GIVEN_UP', healthy: true, error }
  if (status >= 400 && status < 500) {
    return { type: isOutcome(method) ? 'TRY_AGAIN' : 'GIVEN_UP', healthy: true, error }
  }
  return { type: 'TRY_AGAIN', healthy: false, error }
}
