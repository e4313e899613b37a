/**
 * Runs works at the same time, with one failure for all: every one is waited for, so that no
 * work is in progress any more when a batch counts as failed.
 */
import { isOutage } from '../outage.ts'

/** Fails as the first that failed. */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  const reasons = results.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  // An outage is not caused by the work: it takes precedence over errors of a single one.
  const [first] = [...reasons.filter(isOutage), ...reasons]
  if (first !== undefined) throw first as Error
}
