/** What was begun is finished, one after the other: what fails is an alarm, and the others go on. */
import type { Logger } from '@causeway/runtime'

export interface Finishing<Item> {
  readonly log: Logger
  /** Once aborted, nothing further is begun. */
  readonly signal: AbortSignal
  /** For the log: 'the closing of window 7'. */
  readonly nameOf: (item: Item) => string
}

/** What has failed stays as it is stored, for the next time. */
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
      if (!isStopping()) log.error({ err: error }, `ALARM ${nameOf(item)} cannot be finished`)
    }
  }
}
