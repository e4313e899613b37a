/** Many pieces of work whose failures are one: nothing goes on behind a batch that has failed. */
import { isOutage } from '@causeway/runtime'

/** Waits for all of it, then fails as the first that failed. */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  const reasons = results.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  // An outage says nothing about the events: it counts before what may be wrong with one of them.
  const [first] = [...reasons.filter(isOutage), ...reasons]
  if (first !== undefined) throw first as Error
}
