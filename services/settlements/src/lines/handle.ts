/** The transfers that became final, a batch at a time: none of them waits for anything here. */
import { onEvents } from '@causeway/events'
import type { Database, EventBus, Subscribed } from '@causeway/runtime'
import { finalEvents, lineOf, type FinalEvent } from './line.ts'
import { recordLines } from './store.ts'

const batch_max = 500

/** A group of its own, so that no allocation waits behind the lines. */
export function keepLines(
  bus: EventBus,
  db: Database,
  onKept: () => Promise<void>,
): Promise<Subscribed> {
  const group = 'settlements.lines'
  return onEvents<FinalEvent['name']>(
    bus,
    group,
    finalEvents,
    async (events) => {
      await recordLines(
        db,
        events.map(lineOf).filter((line) => line !== undefined),
      )
      await onKept()
    },
    { batch_max },
  )
}
