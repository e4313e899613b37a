/**
 * Requests that end: what they change in the hub's own store, what is said of them, and that they were
 * worked on is one transaction. What comes again changes nothing, and what was refused once is not
 * made later.
 */
import type { Database, EventBus, Transaction } from '@causeway/runtime'
import type { Party } from '../domain/party.ts'
import type { Measures } from '../measures.ts'
import type { Outcomes } from './abroad.ts'
import {
  commandTypeOf,
  said,
  type CommandEvent,
  type Outcome,
  type Task,
  type Work,
} from './contract.ts'
import { register, type Command, type Held } from './domain/register.ts'
import { keepOutcomes, withEarlierOutcomes } from '../batches/store.ts'
import { add, claim, lock, remove } from './store.ts'

export interface SettleParts {
  readonly db: Pick<Database, 'transaction'>
  readonly bus: Pick<EventBus, 'announce'>
  readonly measures: Pick<Measures, 'worked'>
  /** Told right after a change is stored. */
  readonly onChanged: (party: Party) => void
}

/** A request for many parties is one transaction; small ones share one up to as many parties. */
const parties_per_transaction_max = 10_000

/** `abroad` holds the outcomes of what was done elsewhere before. */
export async function settle(
  parts: SettleParts,
  works: readonly Work[],
  abroad: Outcomes,
): Promise<void> {
  for (const slice of slices(works)) {
    await settleSlice(parts, slice, abroad)
  }
}

function slices(works: readonly Work[]): readonly (readonly Work[])[] {
  const all: Work[][] = []
  let room = 0
  for (const work of works) {
    const last = all.at(-1)
    room -= work.tasks.length
    if (last !== undefined && room >= 0) {
      last.push(work)
    } else {
      all.push([work])
      room = parties_per_transaction_max - work.tasks.length
    }
  }
  return all
}

async function settleSlice(
  parts: SettleParts,
  works: readonly Work[],
  abroad: Outcomes,
): Promise<void> {
  const { settled, changed } = await parts.db.transaction((tx) => store(tx, parts, works, abroad))
  for (const { event, outcomes } of settled) {
    for (const outcome of outcomes) {
      const word = outcome.type === 'REFUSED' ? outcome.reason : outcome.type
      parts.measures.worked(commandTypeOf(event), word)
    }
  }
  for (const { party } of changed) parts.onChanged(party)
  for (const party of works.flatMap(partiesAbroad)) parts.onChanged(party)
}

export interface Settled {
  readonly event: CommandEvent
  /** Its outcomes are those of the request that was first with its id. */
  readonly isRepeat: boolean
  readonly outcomes: readonly Outcome[]
}

async function store(
  tx: Transaction,
  { bus }: SettleParts,
  works: readonly Work[],
  abroad: Outcomes,
): Promise<{ readonly settled: readonly Settled[]; readonly changed: readonly Held[] }> {
  const now = new Date()
  const eventIds = works.map(({ event }) => event.id)
  const claimed = await claim(tx, eventIds, now)
  const fresh = works.filter(({ event }) => claimed.has(event.id))
  const commands = fresh.flatMap(commandsAtHome)
  const parties = commands.map(({ party }) => party)
  const { outcomes, added, removed } = register(await lock(tx, parties), commands)
  await remove(tx, removed)
  await add(tx, added, now)
  const worked = withOutcomes(fresh, outcomes, abroad)
  await keepOutcomes(tx, worked)
  const settled = await withEarlierOutcomes(tx, worked)
  bus.announce(
    tx,
    settled.map(({ event, outcomes: each }) => said(event, each)),
  )
  return { settled, changed: [...added, ...removed] }
}

/** `home` are the outcomes of all commands at home, in the order of the requests and their tasks. */
function withOutcomes(
  works: readonly Work[],
  home: readonly Outcome[],
  abroad: Outcomes,
): readonly Settled[] {
  const rest = home.values()
  const outcomeOf = (task: Task): Outcome | undefined => {
    if (task.place === 'NOWHERE') return task.outcome
    return task.place === 'HOME' ? rest.next().value : abroad.get(task)
  }
  return works.map(({ event, tasks, isRepeat = false }) => ({
    event,
    isRepeat,
    outcomes: tasks.map((task) => {
      const outcome = outcomeOf(task)
      if (outcome === undefined) throw new Error(`a task of ${event.id} came to nothing`)
      return outcome
    }),
  }))
}

function commandsAtHome({ tasks }: Work): readonly Command[] {
  return tasks.flatMap((task) => (task.place === 'HOME' ? [task.command] : []))
}

function partiesAbroad({ tasks }: Work): readonly Party[] {
  return tasks.flatMap((task) => (task.place === 'ABROAD' ? [task.command.party] : []))
}
