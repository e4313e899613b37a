/** Works side by side, of which none is under way any more when the whole counts as failed. */
import { isOutage } from '@causeway/runtime'

/** An outage says nothing about the work: it counts before what may be wrong with one of them. */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  const reasons = results.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  )
  const [first] = [...reasons.filter(isOutage), ...reasons]
  if (first !== undefined) throw first as Error
}
