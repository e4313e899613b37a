/**
 * Finishes interrupted work, one item after the other: a failure does not stop the others, and raises an
 * alarm unless it is an outage that ends by itself.
 */
import { outageIn, type Logger } from '@causeway/process'

export interface Finishing<Item> {
  readonly log: Logger
  /** Once aborted, no further item is begun. */
  readonly signal: AbortSignal
  /** For the log: 'the closing of window 7'. */
  readonly nameOf: (item: Item) => string
}

/** A failed item stays stored for the next attempt. */
export async function finishEach<Item>(
  items: readonly Item[],
  finish: (item: Item) => Promise<unknown>,
  { log, signal, nameOf }: Finishing<Item>,
): Promise<void> {
  const isStopping = () => signal.aborted
  for (const item of items) {
    if (isStopping()) return
    try {
      await finish(item)
    } catch (error) {
      if (isStopping()) return
      if (outageIn(error)?.kind === 'AWAY') {
        log.warn({ err: error }, `${nameOf(item)}: no answer, tried again`)
      } else log.error({ err: error }, `ALARM ${nameOf(item)} cannot be finished`)
    }
  }
}
