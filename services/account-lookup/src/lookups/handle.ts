/**
 * Handles a batch of queries: finds the owners of each party and the FSPs to forward to. Nothing is
 * stored: the messages are derived from the batch, and a repeat publishes them with the same ids.
 */
import type { EventBus, OutgoingMessage, PublishDerived } from '@causeway/bus'
import type { DomainEvent } from '@causeway/events'
import type { Participant, Participants } from '@causeway/participants'
import type { Database } from '@causeway/postgres'
import { deferred } from '../deferred.ts'
import {
  findingsWithoutLookup,
  forwarded,
  participantResponse,
  partyQueryFailed,
  partyRefused,
  queryOf,
  reachabilityOf,
  type PartyQuery,
  type QueryEvent,
} from './contract.ts'
import { decideForwarding, decideOwner, type Findings } from './domain/answer.ts'
import type { OwnerBook } from './owners.ts'
import { addUndelivered } from './store.ts'

export interface LookupParts {
  readonly participants: Pick<Participants, 'get'>
  readonly owners: Pick<OwnerBook, 'find' | 'findWithoutCalls'>
  /** How long delivery of a query to an owner is attempted. */
  readonly deadline_ms: number
}

/** A query and the result of its lookup. */
interface LookedUpQuery {
  readonly event: QueryEvent
  readonly findings: Findings
}

/** Defers queries that need a call of an external oracle; answers all others. */
export async function answerWithoutCalls(
  parts: LookupParts,
  events: readonly QueryEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  const known: LookedUpQuery[] = []
  const lookups: QueryEvent[] = []
  for (const event of events) {
    const findings = findingsWithoutLookup(event)
    if (findings === undefined) lookups.push(event)
    else known.push({ event, findings })
  }
  const owners = await parts.owners.findWithoutCalls(lookups.map(queryOf))
  const waiting = lookups.filter((_event, at) => owners[at] === undefined)
  const found = lookups.flatMap((event, at) => {
    const findings = owners[at]
    return findings === undefined ? [] : [{ event, findings }]
  })
  await answer(parts, [...known, ...found], waiting.map(deferred), publishDerived)
}

/** Answers every query and calls external oracles where needed. */
export async function answerWithCalls(
  parts: LookupParts,
  events: readonly QueryEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  const owners = await parts.owners.find(events.map(queryOf))
  const found = events.flatMap((event, at) => {
    const findings = findingsWithoutLookup(event) ?? owners[at]
    return findings === undefined ? [] : [{ event, findings }]
  })
  await answer(parts, found, [], publishDerived)
}

async function answer(
  parts: LookupParts,
  found: readonly LookedUpQuery[],
  others: readonly OutgoingMessage[],
  publishDerived: PublishDerived,
): Promise<void> {
  if (found.length + others.length === 0) return
  const participants = await participantsIn(parts, found)
  const deadline = new Date(Date.now() + parts.deadline_ms)
  const messages = found.flatMap((each) => messagesOf(each, participants, deadline))
  await publishDerived([...messages, ...others])
}

/**
 * The participants in the findings. Those that are unusable according to the cache are fetched
 * again, in one call.
 */
async function participantsIn(
  { participants }: LookupParts,
  found: readonly LookedUpQuery[],
): Promise<ReadonlyMap<string, Participant>> {
  const eventsOf = new Map<string, QueryEvent[]>()
  for (const { event, findings } of found) {
    if (findings.type !== 'FOUND') continue
    for (const fspId of findings.fspIds) {
      const others = eventsOf.get(fspId)
      if (others === undefined) eventsOf.set(fspId, [event])
      else others.push(event)
    }
  }
  if (eventsOf.size === 0) return new Map()
  return participants.get([...eventsOf.keys()], (participant) =>
    (eventsOf.get(participant.name) ?? []).every((event) =>
      event.name === 'PartyQueryReceived'
        ? reachabilityOf(participant, event) === 'REACHABLE'
        : participant.isActive,
    ),
  )
}

function messagesOf(
  { event, findings }: LookedUpQuery,
  participants: ReadonlyMap<string, Participant>,
  deadline: Date,
): readonly OutgoingMessage[] {
  if (event.name === 'PartyQueryReceived') {
    return partyQueryMessages(event, findings, participants, deadline)
  }
  const isActive = (fspId: string) => participants.get(fspId)?.isActive === true
  return [participantResponse(event, decideOwner(findings, isActive))]
}

function partyQueryMessages(
  event: PartyQuery,
  findings: Findings,
  participants: ReadonlyMap<string, Participant>,
  deadline: Date,
): readonly OutgoingMessage[] {
  const decision = decideForwarding(findings, (fspId) =>
    reachabilityOf(participants.get(fspId), event),
  )
  if (decision.type === 'REFUSED') return [partyRefused(event, decision.reason)]
  const fsps = decision.fspIds.length
  return decision.fspIds.flatMap((fspId) => {
    const participant = participants.get(fspId)
    return participant === undefined ? [] : [forwarded(event, { participant, fsps, deadline })]
  })
}

export interface UndeliveredParts {
  readonly db: Pick<Database, 'transaction'>
  readonly bus: Pick<EventBus, 'announce'>
}

/**
 * A query to several FSPs fails once it is undeliverable to all of them. Then the requester gets
 * one error, whatever the order of the failure events. It gets none before, since any other FSP may
 * still answer.
 */
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
