/**
 * Applies an approved request. The same code is tried, and rolled back, when the request is made.
 */
import {
  withdrawalOf,
  depositOf,
  coveredOr,
  fundsIn,
  coverIn,
  type CoverRules,
  type Announcer,
  type Audited,
} from '@causeway/ledger'
import { isRefused, refuse, type Refused } from '@causeway/ledger/domain'
import { parseAmount, parseDecimal } from '@causeway/money'
import type { Transaction } from '@causeway/postgres'
import { applyChanges, applyCreation } from '../participants/apply.ts'
import { change, type Change } from '../participants/domain/change.ts'
import {
  accountsFor,
  limitEach,
  openEach,
  type AccountWanted,
  type Models,
} from '../participants/domain/open.ts'
import type { Participant } from '../participants/domain/participant.ts'
import {
  setAccountLimit,
  setAccountStatus,
  setEndpoint,
  setState,
  setThreshold,
} from '../participants/domain/update.ts'
import {
  changeIn,
  createdAs,
  lockHub,
  lockOne,
  nameFault,
  type Outcome,
} from '../participants/handle.ts'
import { openIn } from '../participants/open.ts'
import type { Wanted, WantedAccount } from './domain/wanted.ts'

export interface ApplyParts {
  readonly bus: Announcer
  readonly rules: CoverRules
  /** The settlement models of its currencies. */
  readonly models: Models
  /** Whether what a participant owes stays covered. */
  readonly protects: boolean
  /** The state of a new participant. */
  readonly newState: { readonly state: string; readonly isActive: boolean }
  /** Names that no new participant may have, in lower case. */
  readonly reservedNames: ReadonlySet<string>
  readonly requestId: string
  readonly createdBy: string
}

export type Applied =
  | Refused
  | {
      readonly type: 'DONE'
      readonly audited: Audited | null
      /** The participant whose state has changed, with its previous state. */
      readonly moved: { readonly participant: Participant; readonly oldState: string } | null
    }

export async function applyWanted(
  tx: Transaction,
  parts: ApplyParts,
  wanted: Wanted,
): Promise<Applied> {
  const { participant: name } = wanted
  const changing = async (decide: Parameters<typeof changeIn>[3]) =>
    applied(await changeIn(tx, parts.bus, name, decide))
  switch (wanted.type) {
    case 'CreateParticipant':
      return applied(await createIn(tx, parts, wanted))
    case 'ManageFunds':
      return moveFunds(tx, parts, wanted)
    case 'ReserveLiquidityCover': {
      const { currency, mode } = wanted
      const { requestId, createdBy } = parts
      const value = unitsOf(wanted.value)
      return applied(
        await coverIn(tx, parts.rules, {
          requestId,
          participant: name,
          currency,
          mode,
          value,
          createdBy,
        }),
      )
    }
    case 'UpdateParticipantState':
      return changing((one) => setState(one, wanted.newState, parts.rules.states))
    case 'AddParticipantAccount': {
      const { requestId, models, createdBy } = parts
      const accounts = [accountOf(wanted.account)]
      const opening = { requestId, name, accounts, models, createdBy }
      return applied(await openIn(tx, parts.bus, parts.rules.hubName, opening))
    }
    case 'UpdateAccountStatus':
      return changing((one) => setAccountStatus(one, wanted.accountId, wanted.isActive))
    case 'UpdateAccountLimit':
      return changing((one) => setAccountLimit(one, wanted.accountId, unitsOf(wanted.value)))
    case 'UpdateAccountThreshold':
      return changing((one) => setThreshold(one, wanted.accountId, unitsOf(wanted.alarmPercentage)))
    case 'UpdateEndpoints':
      return changing((one) => endpointsSet(one, wanted.endpoints, parts.createdBy))
  }
}

function endpointsSet(
  participant: Participant,
  endpoints: readonly { readonly type: string; readonly value: string }[],
  createdBy: string,
) {
  const changes: Change[] = []
  for (const endpoint of endpoints) {
    const decision = setEndpoint(participant, { ...endpoint, createdBy })
    if (decision.type === 'REFUSE') return decision
    changes.push(...decision.changes)
  }
  return change(...changes)
}

/** Creates the participant with all its accounts, limits and endpoints, or nothing. */
async function createIn(
  tx: Transaction,
  { bus, rules, reservedNames, models, newState, requestId, createdBy }: ApplyParts,
  wanted: Extract<Wanted, { type: 'CreateParticipant' }>,
): Promise<Outcome> {
  const { participant: name, participantType: type } = wanted
  const hub = await lockHub(tx, rules.hubName)
  if (name === hub.name) return refuse('NAME_RESERVED', `${name} is the hub`)
  if ((await lockOne(tx, name)) !== undefined) {
    return refuse('PARTICIPANT_EXISTS', `${name} already exists`)
  }
  const taken = await nameFault(tx, { reservedNames }, name)
  if (taken !== undefined) return taken
  const at = new Date()
  const accounts = accountsFor(wanted.currencies, models, wanted.accounts.map(accountOf))
  const blank = { ...hub, name, type, isHub: false, accounts: [], endpoints: [] }
  const unserved = wanted.currencies.find((currency) => (models.get(currency) ?? []).length === 0)
  if (unserved !== undefined) {
    return refuse('NO_SETTLEMENT_MODEL', `no active settlement model serves ${unserved}`)
  }
  const decision = openEach(hub, blank, accounts, models, createdBy)
  if (decision.type === 'REFUSE') return decision
  const creation = { name, type, createdBy, ...newState }
  await applyCreation(bus, tx, creation, decision.changes, at, requestId)
  const created = await lockOne(tx, name)
  if (created === undefined) throw new Error(`${name} was not created`)
  const endpoints = endpointsSet(created, wanted.endpoints, createdBy)
  if (endpoints.type === 'REFUSE') return endpoints
  const changes = [...limitEach(created, accounts), ...endpoints.changes]
  await applyChanges(bus, tx, [{ participant: created, changes }], at)
  return createdAs(tx, name)
}

async function moveFunds(
  tx: Transaction,
  { rules, protects, requestId: transferId }: ApplyParts,
  wanted: Extract<Wanted, { type: 'ManageFunds' }>,
): Promise<Applied> {
  const message = {
    ...wanted,
    transferId,
    name: wanted.participant,
    extensionList: Buffer.alloc(0),
  }
  const command =
    wanted.direction === 'DEPOSIT'
      ? depositOf(message)
      : withdrawalOf(message, { protects, isFinal: true, validity_ms: 0 })
  return applied(isRefused(command) ? command : coveredOr(await fundsIn(tx, rules, command)))
}

function applied(
  outcome:
    | Refused
    | Outcome
    | { readonly type: 'DONE'; readonly audited: Audited | null; readonly oldState?: never },
): Applied {
  if (outcome.type === 'REFUSE') return outcome
  const { audited } = outcome
  const moved =
    'participant' in outcome && outcome.oldState !== null
      ? { participant: outcome.participant, oldState: outcome.oldState }
      : null
  return { type: 'DONE', audited, moved }
}

function accountOf({ type, currency, limit, alarmPercentage }: WantedAccount): AccountWanted {
  return {
    type,
    currency,
    limit: limit === '' ? null : unitsOf(limit),
    alarmPercentage: alarmPercentage === '' ? null : unitsOf(alarmPercentage),
  }
}

/** The text was validated before it was stored. */
function unitsOf(text: string): bigint {
  const units = parseDecimal(text) ?? parseAmount(text)
  if (units === undefined) throw new Error(`a request holds the amount '${text}'`)
  return units
}
