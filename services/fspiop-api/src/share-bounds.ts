/**
 * The bounds of an FSP hold over all edges together: each tells the others some ten times a second what
 * it let in and has at work, and counts theirs as its own. No request waits for that, so for a moment an
 * FSP may go beyond a bound through several edges; one that hears of no other keeps the bounds alone.
 */
import type { SharedMemory, Sharing } from '@causeway/runtime'
import type { Admission } from './admission.ts'
import type { Rates } from './rates.ts'

export function shareBounds(shared: SharedMemory, rates: Rates, admission: Admission): Sharing {
  return shared.shareUse('fspiop-api', {
    admitted: () => rates.admitted(),
    atWork: () => admission.atWork(),
    learn(fspId, others) {
      rates.takeAway(fspId, others.admitted)
      admission.atWorkElsewhere(fspId, others.atWork)
    },
    alone: () => admission.aloneAgain(),
  })
}
