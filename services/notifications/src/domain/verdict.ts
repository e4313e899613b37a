/**
 * What an attempt means: delivered, to be tried again, or given up. Outcomes (PUT, PATCH) tell an FSP
 * how its money ended, so they are tried until their deadline whatever client error it answers; a
 * request that was refused is not asked again (FSPIOP 8.4).
 */

/** What came of one attempt. */
export type Attempt =
  | {
      readonly type: 'ANSWERED'
      readonly status: number
      readonly refusal?: FspRefusal | undefined
    }
  /** No whole answer came: the reason says why. */
  | { readonly type: 'UNANSWERED'; readonly reason: string }

/** FSPIOP 7.6, ErrorInformation. */
export interface FspRefusal {
  readonly errorCode: string
  readonly errorDescription: string
  readonly extensionList?:
    { readonly extension: readonly { readonly key: string; readonly value: string }[] } | undefined
}

export interface Verdict {
  readonly type: 'DELIVERED' | 'TRY_AGAIN' | 'GIVEN_UP'
  /** Whether the FSP gave a sign of health; five bad signs in a row open its circuit. */
  readonly healthy: boolean
  /** What went wrong; '' when nothing did. */
  readonly error: string
}

const outcomes: ReadonlySet<string> = new Set(['PUT', 'PATCH'])
const busyStatuses: ReadonlySet<number> = new Set([408, 429])
const notImplemented = 501

/** Whether the method tells an outcome; the others ask for something. */
function isOutcome(method: string): boolean {
  return outcomes.has(method)
}

export function judge(method: string, attempt: Attempt): Verdict {
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
