/**
 * Completes requests: their changes to the hub's own store, the events about them and the record
 * that they were processed commit in one transaction. A redelivered request changes nothing, and a
 * refused one is not applied later.
 */
import type { EventBus } from '@causeway/bus'
import type { Database, Transaction } from '@causeway/postgres'
import type { Party } from '../domain/party.ts'
import type { LookupMeasures } from '../measures.ts'
import type { Outcomes } from './external-oracle.ts'
import {
  commandTypeOf,
  resultEvent,
  type CommandEvent,
  type AssociationOutcome,
  type Task,
  type PlannedRequest,
} from './contract.ts'
import { register, type AssociationCommand, type PartyAssociation } from './domain/register.ts'
import { storeOutcomes, withEarlierOutcomes } from './batch-store.ts'
import { add, claim, lock, remove } from './store.ts'

export interface SettleParts {
  readonly db: Pick<Database, 'transaction'>
  readonly bus: Pick<EventBus, 'announce'>
  readonly measures: Pick<LookupMeasures, 'worked'>
  /** Called right after the commit of a change. */
  readonly onChanged: (party: Party) => void
}

/** A batch is one transaction; small requests share one up to this many parties. */
const parties_per_transaction_max = 10_000

/** `externalOutcomes` holds the outcomes of the external tasks. */
export async function settle(
  parts: SettleParts,
  requests: readonly PlannedRequest[],
  externalOutcomes: Outcomes,
): Promise<void> {
  for (const slice of slices(requests)) {
    await settleSlice(parts, slice, externalOutcomes)
  }
}

function slices(requests: readonly PlannedRequest[]): readonly (readonly PlannedRequest[])[] {
  const all: PlannedRequest[][] = []
  let capacity = 0
  for (const request of requests) {
    const last = all.at(-1)
    capacity -= request.tasks.length
    if (last !== undefined && capacity >= 0) {
      last.push(request)
    } else {
      all.push([request])
      capacity = parties_per_transaction_max - request.tasks.length
    }
  }
  return all
}

async function settleSlice(
  parts: SettleParts,
  requests: readonly PlannedRequest[],
  externalOutcomes: Outcomes,
): Promise<void> {
  const { settled, changed } = await parts.db.transaction((tx) =>
    store(tx, parts, requests, externalOutcomes),
  )
  for (const { event, outcomes } of settled) {
    for (const outcome of outcomes) {
      const label = outcome.type === 'REFUSED' ? outcome.reason : outcome.type
      parts.measures.worked(commandTypeOf(event), label)
    }
  }
  for (const { party } of changed) parts.onChanged(party)
  for (const party of requests.flatMap(externalParties)) parts.onChanged(party)
}

export interface Settled {
  readonly event: CommandEvent
  /** Its outcomes are those of the first request with its id. */
  readonly isRepeat: boolean
  readonly outcomes: readonly AssociationOutcome[]
}

async function store(
  tx: Transaction,
  { bus }: SettleParts,
  requests: readonly PlannedRequest[],
  externalOutcomes: Outcomes,
): Promise<{
  readonly settled: readonly Settled[]
  readonly changed: readonly PartyAssociation[]
}> {
  const now = new Date()
  const eventIds = requests.map(({ event }) => event.id)
  const claimed = await claim(tx, eventIds, now)
  const fresh = requests.filter(({ event }) => claimed.has(event.id))
  const commands = fresh.flatMap(builtInCommands)
  const parties = commands.map(({ party }) => party)
  const { outcomes, added, removed } = register(await lock(tx, parties), commands)
  await remove(tx, removed, now)
  await add(tx, added, now)
  const worked = withOutcomes(fresh, outcomes, externalOutcomes)
  await storeOutcomes(tx, worked)
  const settled = await withEarlierOutcomes(tx, worked)
  bus.announce(
    tx,
    settled.map(({ event, outcomes: each }) => resultEvent(event, each)),
  )
  return { settled, changed: [...added, ...removed] }
}

/**
 * `builtIn` holds the outcomes of all built-in commands, in the order of the requests and their
 * tasks.
 */
function withOutcomes(
  requests: readonly PlannedRequest[],
  builtIn: readonly AssociationOutcome[],
  externalOutcomes: Outcomes,
): readonly Settled[] {
  const rest = builtIn.values()
  const outcomeOf = (task: Task): AssociationOutcome | undefined => {
    if (task.type === 'REFUSED') return task.outcome
    return task.type === 'BUILT_IN' ? rest.next().value : externalOutcomes.get(task)
  }
  return requests.map(({ event, tasks, isRepeat = false }) => ({
    event,
    isRepeat,
    outcomes: tasks.map((task) => {
      const outcome = outcomeOf(task)
      if (outcome === undefined) throw new Error(`a task of ${event.id} has no outcome`)
      return outcome
    }),
  }))
}

function builtInCommands({ tasks }: PlannedRequest): readonly AssociationCommand[] {
  return tasks.flatMap((task) => (task.type === 'BUILT_IN' ? [task.command] : []))
}

function externalParties({ tasks }: PlannedRequest): readonly Party[] {
  return tasks.flatMap((task) => (task.type === 'EXTERNAL' ? [task.command.party] : []))
}
