/** Stores final transfers, a batch at a time; no payment waits for this. */
import type { EventBus, Subscribed } from '@causeway/bus'
import { onEvents } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import { finalEvents, linesOf, type FinalEvent } from './line.ts'
import { recordLines } from './store.ts'

const batch_max = 500
/** Lines per statement: an event of a bulk has many. */
const lines_max = 1_000

/** Uses its own consumer group, so that no allocation waits behind the lines. */
export function consumeLines(
  bus: EventBus,
  db: Database,
  onStored: () => Promise<void>,
): Promise<Subscribed> {
  const group = 'settlements.lines'
  return onEvents<FinalEvent['name']>(
    bus,
    group,
    finalEvents,
    async (events) => {
      const lines = events.flatMap(linesOf)
      for (let from = 0; from < lines.length; from += lines_max) {
        await recordLines(db, lines.slice(from, from + lines_max))
      }
      await onStored()
    },
    { batch_max },
  )
}
