/**
 * Changes that an oracle of somebody else's is to make. What it answers is the outcome; what it does
 * not answer is an outcome too, so that no request waits for an oracle longer than its calls take.
 */
import type { ExtensionList } from '@causeway/events'
import { allOf } from '@causeway/runtime'
import { partyKey } from '../domain/party.ts'
import type { Said } from '../oracles/contract.ts'
import type { ExternalOracle } from '../oracles/external.ts'
import { OracleFailed } from '../oracles/failure.ts'
import type { Outcome, Task, Work } from './contract.ts'
import { decideMaking, decideRemoving } from './domain/abroad.ts'

type TaskAbroad = Extract<Task, { place: 'ABROAD' }>

export type Outcomes = Map<Task, Outcome>

/** The outcomes of all tasks abroad; requests about one party go one after the other. */
export async function workAbroad(
  works: readonly Work[],
  isRepeat: (eventId: string) => boolean,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  const lines = new Map<string, Promise<void>>()
  const batches: Promise<void>[] = []
  for (const { event, tasks } of works) {
    const abroad = tasks.filter((task) => task.place === 'ABROAD')
    if (event.name === 'ParticipantBatchAssociationRequestReceived') {
      batches.push(
        ...byOracleAndType(abroad).map((group) => many(event.payload.requestId, group, outcomes)),
      )
      continue
    }
    const extensionList = 'extensionList' in event.payload ? event.payload.extensionList : undefined
    for (const task of abroad) {
      const key = partyKey(task.command.party)
      const before = lines.get(key) ?? Promise.resolve()
      lines.set(
        key,
        before.then(async () => {
          outcomes.set(task, await one(task, extensionList, isRepeat(event.id)))
        }),
      )
    }
  }
  await allOf([...lines.values(), ...batches])
  return outcomes
}

async function one(
  task: TaskAbroad,
  extensionList: ExtensionList | undefined,
  isRepeat: boolean,
): Promise<Outcome> {
  return unlessFailed(async () => {
    const { command, oracle } = task
    const { party, currency } = command
    const found = (await oracle.find(party, currency)).filter(({ subId }) => subId === party.subId)
    if (command.type === 'ASSOCIATE') {
      const making = decideMaking(found, command)
      if (making.type === 'REFUSED') return making
      const replaces = making.type === 'REPLACE'
      return outcomeOf(await oracle.make({ ...command, extensionList, replaces }))
    }
    const removing = decideRemoving(found, command, isRepeat)
    return removing.type === 'REMOVE' ? removeAll(task, removing.currencies) : removing
  })
}

/** One that was gone when it was to be removed is removed. */
async function removeAll(
  { command: { party, fspId }, oracle }: TaskAbroad,
  currencies: readonly string[],
): Promise<Outcome> {
  for (const currency of currencies) {
    const said = await oracle.remove(party, currency, fspId)
    if (said.type === 'REFUSED') return outcomeOf(said)
  }
  return { type: 'DONE' }
}

/** The oracle keeps its own rule of whose a party may become: to ask for each would be a call each. */
async function many(
  requestId: string,
  tasks: readonly TaskAbroad[],
  outcomes: Outcomes,
): Promise<void> {
  const [first] = tasks
  if (first === undefined) return
  const { oracle, command } = first
  const { currency, fspId } = command
  const parties = tasks.map((task) => task.command.party)
  const failed = await unlessFailed(async () => {
    const said = await oracle.makeMany({ requestId, parties, currency, fspId })
    for (const task of tasks) {
      outcomes.set(task, outcomeOf(said.get(partyKey(task.command.party)) ?? unsaid))
    }
    return { type: 'DONE' }
  })
  if (failed.type === 'REFUSED') for (const task of tasks) outcomes.set(task, failed)
}

const unsaid: Said = { type: 'REFUSED', detail: 'the oracle does not say what became of it' }

function byOracleAndType(tasks: readonly TaskAbroad[]): readonly (readonly TaskAbroad[])[] {
  const groups = new Map<ExternalOracle, Map<string, TaskAbroad[]>>()
  for (const task of tasks) {
    const types = groups.get(task.oracle) ?? new Map<string, TaskAbroad[]>()
    groups.set(task.oracle, types)
    const { type } = task.command.party
    const group = types.get(type)
    if (group === undefined) types.set(type, [task])
    else group.push(task)
  }
  return [...groups.values()].flatMap((types) => [...types.values()])
}

function outcomeOf(said: Said): Outcome {
  switch (said.type) {
    case 'DONE':
      return { type: 'DONE' }
    case 'UNKNOWN':
      return { type: 'REFUSED', reason: 'PARTY_UNKNOWN' }
    case 'REFUSED':
      return { type: 'REFUSED', reason: 'ORACLE_REFUSED', detail: said.detail }
  }
}

async function unlessFailed(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OracleFailed) return { type: 'REFUSED', reason: error.reason }
    throw error
  }
}
