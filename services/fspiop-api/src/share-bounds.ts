/**
 * The bounds of an FSP hold over all edges together: each tells the others some ten times a second what
 * it let in and has at work, and counts theirs as its own. No request waits for that, so for a moment an
 * FSP may go beyond a bound through several edges; one that hears of no other keeps the bounds alone.
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
    // Of those that are answered here it has to be known what they ask elsewhere.
    atWork: () =>
      new Map([
        ...quotas.answered(now_ms()).map((fspId) => [fspId, 0] as const),
        ...admission.atWork(),
      ]),
    learn(fspId, others) {
      rates.takeAway(fspId, others.admitted)
      admission.atWorkElsewhere(fspId, others.atWork)
      quotas.askedElsewhere(fspId, others.admitted, now_ms())
    },
    alone() {
      admission.aloneAgain()
      quotas.aloneAgain()
    },
  })
}
