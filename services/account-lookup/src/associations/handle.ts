/**
 * Processes a batch of requests that make or remove associations: plans each request and applies
 * it.
 */
import type { EventBus } from '@causeway/bus'
import type { Participants } from '@causeway/participants'
import type { Database } from '@causeway/postgres'
import { allOf } from '@causeway/process'
import { deferred } from '../deferred.ts'
import type { Oracles } from '../oracles/oracles.ts'
import { runExternalTasks } from './external-oracle.ts'
import { planRequest, type BatchEvent, type CommandEvent, type PlannedRequest } from './contract.ts'
import { claimRequests } from './batch-store.ts'
import { settle, type SettleParts } from './settle.ts'
import type { AssociationStore } from './store.ts'

export interface AssociationParts extends SettleParts {
  readonly bus: Pick<EventBus, 'announce' | 'publish'>
  readonly db: Database
  readonly store: Pick<AssociationStore, 'begin'>
  readonly participants: Pick<Participants, 'get'>
  readonly oracles: Pick<Oracles, 'chooser'>
}

/** Defers requests that need a call of an external oracle; applies all others. */
export async function applyWithoutCalls(
  parts: AssociationParts,
  events: readonly CommandEvent[],
): Promise<void> {
  const requests = await planRequests(parts, events)
  const builtIn = requests.filter((request) => !needsExternalOracle(request))
  const deferredRequests = requests.filter(needsExternalOracle)
  await allOf([
    settle(parts, builtIn, new Map()),
    ...(deferredRequests.length === 0
      ? []
      : [parts.bus.publish(deferredRequests.map(({ event }) => deferred(event)))]),
  ])
}

/** Applies every request and calls external oracles where needed. */
export async function applyWithCalls(
  parts: AssociationParts,
  events: readonly CommandEvent[],
): Promise<void> {
  const requests = await planRequests(parts, events)
  const builtIn = requests.filter((request) => !needsExternalOracle(request))
  await allOf([
    settle(parts, builtIn, new Map()),
    settleExternal(parts, requests.filter(needsExternalOracle)),
  ])
}

async function planRequests(
  parts: AssociationParts,
  events: readonly CommandEvent[],
): Promise<readonly PlannedRequest[]> {
  if (events.length === 0) return []
  const asked = distinct(events)
  const [participants, choose, requestIdStatuses] = await Promise.all([
    parts.participants.get(
      [...new Set(events.map(({ payload }) => payload.requesterFspId))],
      (participant) => participant.isActive,
    ),
    parts.oracles.chooser(),
    claimRequests(parts.db, asked.filter(isBatch)),
  ])
  const isActive = (fspId: string) => participants.get(fspId)?.isActive === true
  return asked.map((event) => planRequest(event, { isActive, choose, requestIdStatuses }))
}

/** Removes redeliveries within the batch. */
function distinct(events: readonly CommandEvent[]): readonly CommandEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()]
}

function isBatch(event: CommandEvent): event is BatchEvent {
  return event.name === 'ParticipantBatchAssociationRequestReceived'
}

function needsExternalOracle({ tasks }: PlannedRequest): boolean {
  return tasks.some(({ type }) => type === 'EXTERNAL')
}

/** No transaction is open during oracle calls; `begin` records them beforehand. */
async function settleExternal(
  parts: AssociationParts,
  requests: readonly PlannedRequest[],
): Promise<void> {
  if (requests.length === 0) return
  const ids = requests.map(({ event }) => event.id)
  const statuses = await parts.store.begin(ids, new Date())
  const open = requests.filter(({ event }) => statuses.get(event.id) !== 'HANDLED')
  const outcomes = await runExternalTasks(open, (id) => statuses.get(id) === 'REPEATED')
  await settle(parts, open, outcomes)
}
