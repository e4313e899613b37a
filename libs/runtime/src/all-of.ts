/**
 * Works side by side, whose failures are one: all of it is waited for, so that nothing is under way any
 * more when a batch counts as failed.
 */
import { isOutage } from './outage.ts'

/** Fails as the first that failed. */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  const reasons = results.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  // An outage says nothing about the work: it counts before what may be wrong with one of them.
  const [first] = [...reasons.filter(isOutage), ...reasons]
  if (first !== undefined) throw first as Error
}
