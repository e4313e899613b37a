/**
 * The commands about participants: each is decided and stored, with what is announced, as one piece of
 * work in the ledger's queue, so that the next reservation already sees it.
 */
import type { EventBus, Transaction } from '@causeway/runtime'
import type { Deposit } from '../ledger/domain/command.ts'
import type { DepositRefusal } from '../ledger/domain/decision.ts'
import { decideIn, type Writer } from '../ledger/writer.ts'
import { applyChanges, applyCreation } from './apply.ts'
import { refuse, type Decision, type Refused } from './domain/change.ts'
import { addModelAccounts, create, createHubAccount, type ModelPair } from './domain/create.ts'
import { accountIn, openingBalance, type Participant } from './domain/participant.ts'
import { setInitialLimit, type InitialLimit } from './domain/update.ts'
import { lockParticipants, lockParticipantsWith, openAccounts } from './store.ts'

export interface HandleParts {
  readonly writer: Writer
  readonly bus: EventBus
  readonly hubName: string
  /** Whether a new participant is active at once. */
  readonly activeOnCreate: boolean
  /** The active settlement models that serve a currency. */
  readonly modelsOf: (currency: string) => Promise<readonly ModelPair[]>
}

/** The participant after the command. */
export type Outcome = Refused | { readonly type: 'DONE'; readonly participant: Participant }

/** Decides about one participant and applies what was decided. */
export async function changeParticipant(
  { writer, bus }: HandleParts,
  name: string,
  decide: (participant: Participant) => Decision,
): Promise<Outcome> {
  return writer.alone(async (tx) => {
    const participant = await lockOne(tx, name)
    if (participant === undefined) return unknownParticipant(name)
    const decision = decide(participant)
    if (decision.type === 'REFUSE') return decision
    await applyChanges(bus, tx, [{ participant, changes: decision.changes }], new Date())
    return afterwards(tx, name)
  })
}

export async function createParticipant(
  { writer, bus, hubName, activeOnCreate, modelsOf }: HandleParts,
  creation: { readonly name: string; readonly currency: string; readonly createdBy: string },
): Promise<Outcome> {
  const { name, createdBy } = creation
  const models = await modelsOf(creation.currency)
  return writer.alone(async (tx) => {
    const locked = await lockParticipants(tx, [hubName, name])
    const hub = locked.find(({ isHub }) => isHub)
    if (hub === undefined) throw new Error(`the hub is not known as ${hubName}`)
    const existing = locked.find((participant) => participant.name === name)
    const decision = create(hub, existing, { ...creation, models })
    if (decision.type === 'REFUSE') return decision
    const { changes } = decision
    if (existing === undefined) {
      await applyCreation(
        bus,
        tx,
        { name, isActive: activeOnCreate, createdBy },
        changes,
        new Date(),
      )
    } else {
      await applyChanges(bus, tx, [{ participant: existing, changes }], new Date())
    }
    return afterwards(tx, name)
  })
}

export function openHubAccount(
  parts: HandleParts,
  name: string,
  account: { readonly type: string; readonly currency: string; readonly createdBy: string },
): Promise<Outcome> {
  return changeParticipant(parts, name, (participant) => createHubAccount(participant, account))
}

/** Opens what participants with the currency lack for a new settlement model. */
export async function openModelAccounts(
  { writer, bus }: HandleParts,
  pair: ModelPair,
  currency: string,
): Promise<void> {
  await writer.alone(async (tx) => {
    const participants = await lockParticipantsWith(tx, currency)
    const changing = participants.map((participant) => {
      const { changes } = addModelAccounts(participant, pair, currency, 'settlements')
      return { participant, changes }
    })
    await applyChanges(bus, tx, changing, new Date())
  })
}

/** The first limit, the position to begin with, and active accounts: all or nothing. */
export async function setInitialPositionAndLimits(
  { writer, bus, hubName }: HandleParts,
  name: string,
  limit: InitialLimit,
  position: bigint,
): Promise<Outcome> {
  return writer.alone(async (tx) => {
    const participant = await lockOne(tx, name)
    if (participant === undefined) return unknownParticipant(name)
    const decision = setInitialLimit(participant, limit)
    if (decision.type === 'REFUSE') return decision
    await applyChanges(bus, tx, [{ participant, changes: decision.changes }], new Date())
    if (position !== 0n) await openPosition(tx, participant, limit.currency, position, hubName)
    return afterwards(tx, name)
  })
}

async function openPosition(
  tx: Transaction,
  participant: Participant,
  currency: string,
  position: bigint,
  hubName: string,
): Promise<void> {
  const hub = await lockOne(tx, hubName)
  if (hub !== undefined && accountIn(hub, openingBalance, currency) === undefined) {
    await openAccounts(tx, [
      {
        type: 'OPEN_ACCOUNT',
        participantId: hub.id,
        accountType: openingBalance,
        currency,
        isActive: true,
        createdBy: 'hub',
      },
    ])
  }
  const account = accountIn(participant, 'POSITION', currency)
  if (account === undefined) throw new Error(`${participant.name} lost its position account`)
  const { name } = participant
  const id = `opening-${account.id}`
  const command = { type: 'OPENING', id, participant: name, currency, position } as const
  await decideIn(tx, [command], { hubName, expiryGrace_ms: 0 })
}

/** Funds in. The same id with the same content is done already. */
export async function recordDeposit(
  { writer }: HandleParts,
  command: Deposit,
): Promise<Refused | { readonly type: 'DONE' }> {
  const [answer] = await writer.decide([command])
  switch (answer?.type) {
    case 'ENTRY':
      return { type: 'DONE' }
    case 'DECLINE':
      return refuse(answer.reason, detailOf(answer.reason, command))
    case 'MISMATCH':
      return refuse('MODIFIED', `${command.id} was used before with other content`)
    default:
      throw new Error(`the ledger could not take the deposit ${command.id}`)
  }
}

function detailOf(reason: DepositRefusal, { participant, accountId, currency }: Deposit): string {
  switch (reason) {
    case 'PARTICIPANT_UNKNOWN':
      return `there is no participant ${participant}`
    case 'PARTICIPANT_INACTIVE':
      return `${participant} is not active`
    case 'ACCOUNT_UNKNOWN':
      return `${participant} has no account ${accountId}`
    case 'ACCOUNT_TYPE_WRONG':
      return `account ${accountId} is not of type SETTLEMENT`
    case 'CURRENCY_MISMATCH':
      return `account ${accountId} is not in ${currency}`
    case 'ACCOUNT_INACTIVE':
      return `account ${accountId} is not active`
    case 'HUB_ACCOUNTS_MISSING':
      return `the hub has no active HUB_RECONCILIATION account in ${currency}`
  }
}

async function lockOne(tx: Transaction, name: string): Promise<Participant | undefined> {
  const [participant] = await lockParticipants(tx, [name])
  return participant
}

export function unknownParticipant(name: string): Refused {
  return refuse('PARTICIPANT_UNKNOWN', `there is no participant ${name}`)
}

async function afterwards(tx: Transaction, name: string): Promise<Outcome> {
  const participant = await lockOne(tx, name)
  if (participant === undefined) throw new Error(`${name} is gone after its change`)
  return { type: 'DONE', participant }
}
