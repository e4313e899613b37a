/**
 * Whether what is published now may have been published before. A step that stores nothing
 * publishes the same again when it is repeated, because the process was restarted or the work has
 * failed; and so do the steps that follow from it.
 */

export interface RedeliveryWindow {
  /** Whether anything published now may be a repeat. */
  readonly isOpen: boolean
  /** Work is repeated whose numbers are no higher than that. */
  begin(used: number): void
  /**
   * Every group has finished everything up to the first number; the second is the highest so far.
   */
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
    // What was done again is finished, then what it has led to by now, and so on to the end of the
    // chain.
    settle(finished, used) {
      for (; rounds > 0 && finished >= upTo; rounds -= 1) upTo = used
    },
  }
}
