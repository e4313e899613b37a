/**
 * A question that went to several FSPs has failed once it could be delivered to none of them: then
 * whoever asked is told, once, whatever the order in which that is heard. Nobody is told before, since
 * any of the others may still answer.
 */
import type { DomainEvent } from '@causeway/events'
import type { Database, EventBus } from '@causeway/runtime'
import { partyUnasked } from './contract.ts'
import { noteUndelivered } from './store.ts'

export interface UndeliveredParts {
  readonly db: Pick<Database, 'transaction'>
  readonly bus: Pick<EventBus, 'announce'>
}

export async function giveUp(
  { db, bus }: UndeliveredParts,
  events: readonly DomainEvent<'PartyQueryUndelivered'>[],
): Promise<void> {
  if (events.length === 0) return
  const failures = events.map(({ payload }) => payload)
  await db.transaction(async (tx) => {
    const failed = await noteUndelivered(tx, failures, new Date())
    const lost = events.filter(
      ({ payload: { questionId, fsps } }) => (failed.get(questionId) ?? 0) >= fsps,
    )
    const last = new Map(lost.map((event) => [event.payload.questionId, event]))
    bus.announce(tx, [...last.values()].map(partyUnasked))
  })
}
