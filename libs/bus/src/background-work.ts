/**
 * Work on a batch that goes on when its handler is done: the batch stays unfinished until that work ends,
 * while what comes for its keys goes on.
 */
import { type Logger, isOutage } from '@causeway/process'
import { isFromNewerRelease } from './from-newer-release.ts'
import { reasonOf } from './poison-messages.ts'

export interface BackgroundWork<Item> {
  /** Keeps the items unfinished until the work has ended. */
  keep(items: readonly Item[], work: Promise<void>): void
  /** Resolves when nothing goes on any more. */
  settled(): Promise<void>
}

export interface BackgroundWorkOptions<Item> {
  /** Keeps them unfinished until the release that it returns is called. */
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

  /** No caller would try it again: what an outage did not end is for a person to look at. */
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
          log.error({ err: error }, 'a batch is left unfinished: it comes again at the next start'),
        )
        .finally(() => open.delete(settled))
      open.add(settled)
    },
    async settled() {
      await Promise.all(open)
    },
  }
}
