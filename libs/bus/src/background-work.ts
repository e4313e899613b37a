/**
 * Work on a batch that continues after its handler has returned. The batch stays unfinished until that
 * work ends; later messages of its keys do not wait for it.
 */
import { type Logger, isOutage } from '@causeway/process'
import { isFromNewerRelease } from './from-newer-release.ts'
import { reasonOf } from './poison-messages.ts'

export interface BackgroundWork<Item> {
  /** Keeps the items unfinished until the work has ended. */
  keep(items: readonly Item[], work: Promise<void>): void
  /** Resolves when no background work is left. */
  settled(): Promise<void>
}

export interface BackgroundWorkOptions<Item> {
  /** Holds the items unfinished until the returned release is called. */
  readonly hold: (items: readonly Item[]) => () => void
  readonly deadLetter: (item: Item, reason: string) => Promise<void>
  readonly log: Logger
}

export function openBackgroundWork<Item>({
  hold,
  deadLetter,
  log,
}: BackgroundWorkOptions<Item>): BackgroundWork<Item> {
  const open = new Set<Promise<void>>()

  /** Nothing tries this work again, so a failure that is no outage becomes a dead letter. */
  async function giveUp(items: readonly Item[], error: unknown): Promise<void> {
    if (isOutage(error) || isFromNewerRelease(error)) throw error
    for (const item of items) await deadLetter(item, reasonOf(error))
  }

  return {
    keep(items, work) {
      const release = hold(items)
      const settled: Promise<void> = work
        .catch((error: unknown) => giveUp(items, error))
        .then(release, (error: unknown) =>
          log.error(
            { err: error },
            'a batch is left unfinished: it is delivered again at the next start',
          ),
        )
        .finally(() => open.delete(settled))
      open.add(settled)
    },
    async settled() {
      await Promise.all(open)
    },
  }
}
