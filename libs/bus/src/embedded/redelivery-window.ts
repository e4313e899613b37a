/**
 * Whether a message that is published now may have been published before. A step that stores nothing
 * publishes the same messages again when it is repeated after a restart or a failure, and so do the
 * steps after it.
 */

export interface RedeliveryWindow {
  /** Whether anything published now may be a repeat. */
  readonly isOpen: boolean
  /** Messages with numbers up to this one are processed again. */
  begin(used: number): void
  /**
   * Every group has finished everything up to the first number; the second is the highest so far.
   */
  settle(finished: number, used: number): void
}

/** Longer than any chain of events that follow from one another. */
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
    // The repeated messages are finished, then the messages derived from them, and so on to the end
    // of the chain.
    settle(finished, used) {
      for (; rounds > 0 && finished >= upTo; rounds -= 1) upTo = used
    },
  }
}
