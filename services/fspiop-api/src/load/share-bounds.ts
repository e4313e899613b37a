/**
 * The bounds of an FSP apply to all edges together: about ten times a second each edge publishes the
 * requests that it has admitted and has in progress, and counts those of the others. No request waits
 * for that, so an FSP can briefly exceed a bound through several edges; an edge that receives no counts
 * applies the bounds alone.
 */
import type { SharedMemory, Sharing } from '@causeway/runtime'
import type { Admission } from './admission.ts'
import type { AnswerQuotas } from './answer-quotas.ts'
import type { Rates } from './rates.ts'

export interface Bounds {
  readonly rates: Rates
  readonly admission: Admission
  readonly quotas: AnswerQuotas
}

export function shareBounds(
  shared: SharedMemory,
  { rates, admission, quotas }: Bounds,
  now_ms: () => number,
): Sharing {
  return shared.shareUse('fspiop-api', {
    admitted: () => rates.admitted(),
    // The requests at other edges of FSPs that are answered here must be known.
    atWork: () =>
      new Map([
        ...quotas.recentlyAnswered(now_ms()).map((fspId) => [fspId, 0] as const),
        ...admission.inProgress(),
      ]),
    learn(fspId, others) {
      rates.takeAway(fspId, others.admitted)
      admission.setInProgressElsewhere(fspId, others.atWork)
      quotas.countRequestsElsewhere(fspId, others.admitted, now_ms())
    },
    alone() {
      admission.forgetOtherEdges()
      quotas.forgetOtherEdges()
    },
  })
}
