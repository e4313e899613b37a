/**
 * A query to several FSPs fails once it is undeliverable to all of them. Then the requester gets
 * one error, whatever the order of the failure events. It gets none before, since any other FSP may
 * still answer.
 */
import type { EventBus } from '@causeway/bus'
import type { DomainEvent } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import { partyQueryFailed } from './contract.ts'
import { addUndelivered } from './store.ts'

export interface UndeliveredParts {
  readonly db: Pick<Database, 'transaction'>
  readonly bus: Pick<EventBus, 'announce'>
}

export async function reportUndelivered(
  { db, bus }: UndeliveredParts,
  events: readonly DomainEvent<'PartyQueryUndelivered'>[],
): Promise<void> {
  if (events.length === 0) return
  const failures = events.map(({ payload }) => payload)
  await db.transaction(async (tx) => {
    const failed = await addUndelivered(tx, failures, new Date())
    const lost = events.filter(
      ({ payload: { questionId, fsps } }) => (failed.get(questionId) ?? 0) >= fsps,
    )
    const last = new Map(lost.map((event) => [event.payload.questionId, event]))
    bus.announce(tx, [...last.values()].map(partyQueryFailed))
  })
}
