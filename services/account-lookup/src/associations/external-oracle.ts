/**
 * Changes that an external oracle makes. Its answer is the outcome; a failed call is an outcome
 * too, so no request waits longer than its calls take.
 */
import type { ExtensionList } from '@causeway/fspiop'
import { allOf } from '@causeway/process'
import { partyKey } from '../domain/party.ts'
import type { ChangeResult } from '../oracles/contract.ts'
import type { ExternalOracle } from '../oracles/external.ts'
import { OracleFailed } from '../oracles/failure.ts'
import type { AssociationOutcome, Task, PlannedRequest } from './contract.ts'
import { decideAssociation, decideRemoval } from './domain/external-oracle.ts'

type ExternalTask = Extract<Task, { type: 'EXTERNAL' }>

export type Outcomes = Map<Task, AssociationOutcome>

/** The outcomes of all external tasks; requests about one party run one after the other. */
export async function runExternalTasks(
  requests: readonly PlannedRequest[],
  isRepeat: (eventId: string) => boolean,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  const queues = new Map<string, Promise<void>>()
  const batches: Promise<void>[] = []
  for (const { event, tasks } of requests) {
    const external = tasks.filter((task) => task.type === 'EXTERNAL')
    if (event.name === 'ParticipantBatchAssociationRequestReceived') {
      batches.push(
        ...byOracleAndType(external).map((group) =>
          associateMany(event.payload.requestId, group, outcomes),
        ),
      )
      continue
    }
    const extensionList = 'extensionList' in event.payload ? event.payload.extensionList : undefined
    for (const task of external) {
      const key = partyKey(task.command.party)
      const before = queues.get(key) ?? Promise.resolve()
      queues.set(
        key,
        before.then(async () => {
          outcomes.set(task, await changeOne(task, extensionList, isRepeat(event.id)))
        }),
      )
    }
  }
  await allOf([...queues.values(), ...batches])
  return outcomes
}

async function changeOne(
  task: ExternalTask,
  extensionList: ExtensionList | undefined,
  isRepeat: boolean,
): Promise<AssociationOutcome> {
  return unlessFailed(async () => {
    const { command, oracle } = task
    const { party, currency } = command
    const found = (await oracle.find(party, currency)).filter(({ subId }) => subId === party.subId)
    if (command.type === 'ASSOCIATE') {
      const decision = decideAssociation(found, command)
      if (decision.type === 'REFUSED') return decision
      const replaces = decision.type === 'REPLACE'
      return outcomeOf(await oracle.associate({ ...command, extensionList, replaces }))
    }
    const removal = decideRemoval(found, command, isRepeat)
    return removal.type === 'REMOVE' ? removeAll(task, removal.currencies) : removal
  })
}

/** An association that no longer exists counts as removed. */
async function removeAll(
  { command: { party, fspId }, oracle }: ExternalTask,
  currencies: readonly string[],
): Promise<AssociationOutcome> {
  for (const currency of currencies) {
    const result = await oracle.remove(party, currency, fspId)
    if (result.type === 'REFUSED') return outcomeOf(result)
  }
  return { type: 'DONE' }
}

/**
 * The oracle applies its own ownership rule: asking about each party first would cost a call each.
 */
async function associateMany(
  requestId: string,
  tasks: readonly ExternalTask[],
  outcomes: Outcomes,
): Promise<void> {
  const [first] = tasks
  if (first === undefined) return
  const { oracle, command } = first
  const { currency, fspId } = command
  const parties = tasks.map((task) => task.command.party)
  const failed = await unlessFailed(async () => {
    const result = await oracle.associateMany({ requestId, parties, currency, fspId })
    for (const task of tasks) {
      outcomes.set(task, outcomeOf(result.get(partyKey(task.command.party)) ?? notReported))
    }
    return { type: 'DONE' }
  })
  if (failed.type === 'REFUSED') for (const task of tasks) outcomes.set(task, failed)
}

const notReported: ChangeResult = {
  type: 'REFUSED',
  detail: 'the oracle reported no result for it',
}

function byOracleAndType(tasks: readonly ExternalTask[]): readonly (readonly ExternalTask[])[] {
  const groups = new Map<ExternalOracle, Map<string, ExternalTask[]>>()
  for (const task of tasks) {
    const types = groups.get(task.oracle) ?? new Map<string, ExternalTask[]>()
    groups.set(task.oracle, types)
    const { type } = task.command.party
    const group = types.get(type)
    if (group === undefined) types.set(type, [task])
    else group.push(task)
  }
  return [...groups.values()].flatMap((types) => [...types.values()])
}

function outcomeOf(result: ChangeResult): AssociationOutcome {
  switch (result.type) {
    case 'DONE':
      return { type: 'DONE' }
    case 'UNKNOWN':
      return { type: 'REFUSED', reason: 'PARTY_UNKNOWN' }
    case 'REFUSED':
      return { type: 'REFUSED', reason: 'ORACLE_REFUSED', detail: result.detail }
  }
}

async function unlessFailed(work: () => Promise<AssociationOutcome>): Promise<AssociationOutcome> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OracleFailed) return { type: 'REFUSED', reason: error.reason }
    throw error
  }
}
