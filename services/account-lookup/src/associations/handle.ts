/**
 * A batch of requests to make or remove associations: what each of them asks for, where that is to be
 * done, and that it is done.
 */
import type { Participants } from '@causeway/participants'
import { allOf, type Database, type EventBus } from '@causeway/runtime'
import { deferred } from '../deferred.ts'
import type { Oracles } from '../oracles/oracles.ts'
import { workAbroad } from './abroad.ts'
import { workOf, type BatchEvent, type CommandEvent, type Work } from './contract.ts'
import { claimRequests } from '../batches/store.ts'
import { settle, type SettleParts } from './settle.ts'
import type { AssociationStore } from './store.ts'

export interface AssociationParts extends SettleParts {
  readonly bus: Pick<EventBus, 'announce' | 'publish'>
  readonly db: Database
  readonly store: Pick<AssociationStore, 'begin'>
  readonly participants: Pick<Participants, 'get'>
  readonly oracles: Pick<Oracles, 'chooser'>
}

/** Requests that need a call of an oracle are deferred, all others are worked on. */
export async function changeAtHome(
  parts: AssociationParts,
  events: readonly CommandEvent[],
): Promise<void> {
  const works = await worksOf(parts, events)
  const home = works.filter((work) => !goesAbroad(work))
  const waiting = works.filter(goesAbroad)
  await allOf([
    settle(parts, home, new Map()),
    ...(waiting.length === 0
      ? []
      : [parts.bus.publish(waiting.map(({ event }) => deferred(event)))]),
  ])
}

/** Every request is worked on, whoever has to be called for it. */
export async function changeWherever(
  parts: AssociationParts,
  events: readonly CommandEvent[],
): Promise<void> {
  const works = await worksOf(parts, events)
  const home = works.filter((work) => !goesAbroad(work))
  await allOf([settle(parts, home, new Map()), settleAbroad(parts, works.filter(goesAbroad))])
}

async function worksOf(
  parts: AssociationParts,
  events: readonly CommandEvent[],
): Promise<readonly Work[]> {
  if (events.length === 0) return []
  const asked = distinct(events)
  const [participants, choose, standings] = await Promise.all([
    parts.participants.get(
      [...new Set(events.map(({ payload }) => payload.requesterFspId))],
      (participant) => participant.isActive,
    ),
    parts.oracles.chooser(),
    claimRequests(parts.db, asked.filter(isBatch)),
  ])
  const isActive = (fspId: string) => participants.get(fspId)?.isActive === true
  return asked.map((event) => workOf(event, { isActive, choose, standings }))
}

/** The same event twice in a batch is one. */
function distinct(events: readonly CommandEvent[]): readonly CommandEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()]
}

function isBatch(event: CommandEvent): event is BatchEvent {
  return event.name === 'ParticipantBatchAssociationRequestReceived'
}

function goesAbroad({ tasks }: Work): boolean {
  return tasks.some(({ place }) => place === 'ABROAD')
}

/** No transaction is open while an oracle is called; that calls were begun is known before. */
async function settleAbroad(parts: AssociationParts, works: readonly Work[]): Promise<void> {
  if (works.length === 0) return
  const ids = works.map(({ event }) => event.id)
  const beginnings = await parts.store.begin(ids, new Date())
  const open = works.filter(({ event }) => beginnings.get(event.id) !== 'HANDLED')
  const outcomes = await workAbroad(open, (id) => beginnings.get(id) === 'REPEATED')
  await settle(parts, open, outcomes)
}
