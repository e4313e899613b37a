/**
 * Whether what is said now may have been said before. A step that stores nothing says the same again
 * when it is done again, because the process has begun anew or the work has failed; and so does what
 * follows from that.
 */

export interface RedeliveryWindow {
  /** Whether anything said now may be a repeat. */
  readonly isOpen: boolean
  /** Something is done again whose number is no higher than that. */
  begin(used: number): void
  /** Every group has finished everything up to the first number; the second is the highest so far. */
  settle(finished: number, used: number): void
}

/** More than one event after the other ever follows from the first one. */
const rounds_max = 8

/** @param highest the highest number of the processes before */
export function openRedeliveryWindow(highest: number): RedeliveryWindow {
  let upTo = highest
  let rounds = rounds_max
  return {
    get isOpen() {
      return rounds > 0
    },
    begin(used) {
      upTo = used
      rounds = rounds_max
    },
    // What was done again is finished, then what it has led to by now, and so on to the end of the chain.
    settle(finished, used) {
      for (; rounds > 0 && finished >= upTo; rounds -= 1) upTo = used
    },
  }
}
