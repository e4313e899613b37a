/**
 * The commands about participants. Each is decided and stored, with its events and its audit entry,
 * as one transaction in the ledger's queue, so the next reservation sees it.
 */
import { type Announcer, type Audited, type By, participantSubject } from '@causeway/events'
import { active, inactive, refuse, unknownParticipant } from '@causeway/services'
import type { EventBus } from '@causeway/bus'
import type { Egress } from '@causeway/http'
import { announceAudit, decideIn, type DecidingRules, type Writer } from '@causeway/ledger'
import { formatAmount } from '@causeway/money'
import type { Transaction } from '@causeway/postgres'
import type { RefusedChange } from '../domain/refusal.ts'
import { applyChanges, applyCreation } from './apply.ts'
import { auditedChanges } from './audit.ts'
import type { Decision } from './domain/change.ts'
import {
  addModelAccounts,
  create,
  createHubAccount,
  createPisp,
  type ModelPair,
} from './domain/create.ts'
import { accountIn, openingBalance, type Participant } from './domain/participant.ts'
import type { IsUsed } from './domain/scheme.ts'
import { setInitialLimit, type InitialLimit } from './domain/update.ts'
import type { CurrencyModel } from './models.ts'
import { lockParticipants, lockParticipantsWith, nameAlike, openAccounts } from './store.ts'

export interface HandleParts {
  readonly writer: Writer
  readonly bus: EventBus
  readonly rules: DecidingRules
  /** Names that no new participant may have, in lower case: of services and of gateways. */
  readonly reservedNames: ReadonlySet<string>
  /** Where the servers of participants may be. */
  readonly egress: Egress
  /** Whether a new participant is active at once. */
  readonly activeOnCreate: boolean
  /** Whether the scheme uses a currency. */
  readonly isUsed: IsUsed
  /** The active settlement models that serve a currency. */
  readonly modelsOf: (currency: string) => Promise<readonly CurrencyModel[]>
  /** Called after the state of a participant has changed. */
  readonly onState: (participant: Participant, oldState: string) => void
}

/** The participant after the command. */
export type ParticipantOutcome =
  | RefusedChange
  | {
      readonly type: 'DONE'
      readonly participant: Participant
      /** Null when nothing has changed. */
      readonly audited: Audited | null
      /** The previous state, if it has changed. */
      readonly oldState: string | null
    }

/** Decides about one participant and applies what was decided. */
export function changeParticipant(
  parts: HandleParts,
  name: string,
  by: By,
  decide: (participant: Participant) => Decision,
): Promise<ParticipantOutcome> {
  return recorded(parts, by, (tx) => changeIn(tx, parts.bus, name, decide))
}

/** The same inside the caller's transaction; the caller writes the audit entry. */
export async function changeIn(
  tx: Transaction,
  bus: Announcer,
  name: string,
  decide: (participant: Participant) => Decision,
): Promise<ParticipantOutcome> {
  const participant = await lockOne(tx, name)
  if (participant === undefined) return unknownParticipant(name)
  const decision = decide(participant)
  if (decision.type === 'REFUSE') return decision
  const { changes } = decision
  await applyChanges(bus, tx, [{ participant, changes }], new Date())
  const oldState = changes.some(({ type }) => type === 'SET_STATE') ? participant.state : null
  return afterwards(tx, name, auditedChanges(participant, changes), oldState)
}

/** Runs the work in its turn and writes its audit entry in the same transaction. */
async function recorded(
  { writer, bus, onState }: HandleParts,
  by: By,
  work: (tx: Transaction) => Promise<ParticipantOutcome>,
): Promise<ParticipantOutcome> {
  const outcome = await writer.runExclusive(async (tx) => {
    const done = await work(tx)
    if (done.type === 'DONE' && done.audited) announceAudit(bus, tx, by, done.audited)
    return done
  })
  if (outcome.type === 'DONE' && outcome.oldState !== null) {
    onState(outcome.participant, outcome.oldState)
  }
  return outcome
}

export async function createParticipant(
  parts: HandleParts,
  creation: { readonly name: string; readonly currency: string; readonly createdBy: string },
): Promise<ParticipantOutcome> {
  const { name, createdBy } = creation
  const models = await parts.modelsOf(creation.currency)
  const by = { actor: createdBy, action: 'CreateParticipant' }
  return recorded(parts, by, async (tx) => {
    const hub = await lockHub(tx, parts.rules.hubName)
    const existing = name === hub.name ? hub : await lockOne(tx, name)
    const taken = existing === undefined ? await nameFault(tx, parts, name) : undefined
    if (taken !== undefined) return taken
    const decision = create(hub, existing, { ...creation, models })
    if (decision.type === 'REFUSE') return decision
    const { changes } = decision
    if (existing === undefined) {
      const participant = { name, type: 'DFSP', createdBy, ...stateOfNew(parts) } as const
      await applyCreation(parts.bus, tx, participant, changes, new Date())
    } else {
      await applyChanges(parts.bus, tx, [{ participant: existing, changes }], new Date())
    }
    return existing === undefined
      ? createdAs(tx, name)
      : afterwards(tx, name, auditedChanges(existing, changes))
  })
}

/** Without currency and accounts. */
export function createPispParticipant(
  parts: HandleParts,
  { name, createdBy }: { readonly name: string; readonly createdBy: string },
): Promise<ParticipantOutcome> {
  const by = { actor: createdBy, action: 'CreateParticipant' }
  return recorded(parts, by, async (tx) => {
    const hub = await lockHub(tx, parts.rules.hubName)
    const existing = name === hub.name ? hub : await lockOne(tx, name)
    const taken = existing === undefined ? await nameFault(tx, parts, name) : undefined
    if (taken !== undefined) return taken
    const decision = createPisp(hub, existing, name)
    if (decision.type === 'REFUSE') return decision
    const participant = { name, type: 'PISP', createdBy, ...stateOfNew(parts) } as const
    await applyCreation(parts.bus, tx, participant, decision.changes, new Date())
    return createdAs(tx, name)
  })
}

/**
 * Why a new participant may not have the name: a gateway's certificate with it would speak for every
 * FSP, and two names that differ in case only are one to people and to some software.
 */
export async function nameFault(
  tx: Transaction,
  { reservedNames }: Pick<HandleParts, 'reservedNames'>,
  name: string,
): Promise<RefusedChange | undefined> {
  if (reservedNames.has(name.toLowerCase())) return refuse('NAME_RESERVED', `${name} is reserved`)
  const other = await nameAlike(tx, name)
  return other === undefined
    ? undefined
    : refuse('NAME_RESERVED', `${name} differs from ${other} in case only`)
}

/** The state of a new participant. */
export function stateOfNew({ activeOnCreate }: Pick<HandleParts, 'activeOnCreate'>) {
  return { state: activeOnCreate ? active : inactive, isActive: activeOnCreate }
}

/** The audit entry of a new participant contains all its data. */
export async function createdAs(tx: Transaction, name: string): Promise<ParticipantOutcome> {
  const participant = await lockKnown(tx, name)
  const { type, state, accounts, endpoints } = participant
  const after = {
    type,
    state: { name: state, isActive: participant.isActive },
    accounts: accounts.map((account) => ({
      type: account.type,
      currency: account.currency,
      isActive: account.isActive,
      limit: account.limit && formatAmount(account.limit.value),
    })),
    endpoints: Object.fromEntries(endpoints.map((one) => [one.type, one.value])),
  }
  const audited = { subject: participantSubject(name), before: null, after }
  return { type: 'DONE', participant, audited, oldState: null }
}

export function openHubAccount(
  parts: HandleParts,
  name: string,
  account: { readonly type: string; readonly currency: string; readonly createdBy: string },
): Promise<ParticipantOutcome> {
  const by = { actor: account.createdBy, action: 'CreateHubAccount' }
  return changeParticipant(parts, name, by, (participant) => createHubAccount(participant, account))
}

/**
 * Opens the missing accounts of a new settlement model for participants with its currency. The
 * audit entry is that of the model's creation, by settlements.
 */
export async function openModelAccounts(
  { writer, bus }: HandleParts,
  pair: ModelPair,
  currency: string,
): Promise<void> {
  await writer.runExclusive(async (tx) => {
    const participants = await lockParticipantsWith(tx, currency)
    const changing = participants.map((participant) => {
      const { changes } = addModelAccounts(participant, pair, currency, 'settlements')
      return { participant, changes }
    })
    await applyChanges(bus, tx, changing, new Date())
  })
}

/** Sets the first limit and the initial position and activates the accounts: all or nothing. */
export function setInitialPositionAndLimits(
  parts: HandleParts,
  name: string,
  by: By,
  limit: InitialLimit,
  position: bigint,
): Promise<ParticipantOutcome> {
  return recorded(parts, by, async (tx) => {
    const participant = await lockOne(tx, name)
    if (participant === undefined) return unknownParticipant(name)
    const decision = setInitialLimit(participant, limit)
    if (decision.type === 'REFUSE') return decision
    const { changes } = decision
    await applyChanges(parts.bus, tx, [{ participant, changes }], new Date())
    if (position !== 0n) {
      await openPosition(tx, participant, limit.currency, position, parts.rules)
    }
    const audited = auditedChanges(participant, changes)
    const begun = { position: { [limit.currency]: formatAmount(position) } }
    return afterwards(tx, name, audited && { ...audited, after: { ...audited.after, ...begun } })
  })
}

async function openPosition(
  tx: Transaction,
  participant: Participant,
  currency: string,
  position: bigint,
  rules: DecidingRules,
): Promise<void> {
  const hub = await lockHub(tx, rules.hubName)
  if (accountIn(hub, openingBalance, currency) === undefined) {
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
  await decideIn(tx, [command], rules)
}

export async function lockOne(tx: Transaction, name: string): Promise<Participant | undefined> {
  const [participant] = await lockParticipants(tx, [name])
  return participant
}

export async function lockHub(tx: Transaction, hubName: string): Promise<Participant> {
  const hub = await lockOne(tx, hubName)
  if (hub?.isHub !== true) throw new Error(`the hub is not known as ${hubName}`)
  return hub
}

async function lockKnown(tx: Transaction, name: string): Promise<Participant> {
  const participant = await lockOne(tx, name)
  if (participant === undefined) throw new Error(`${name} does not exist after its change`)
  return participant
}

async function afterwards(
  tx: Transaction,
  name: string,
  audited: Audited | null,
  oldState: string | null = null,
): Promise<ParticipantOutcome> {
  return { type: 'DONE', participant: await lockKnown(tx, name), audited, oldState }
}
