/**
 * Makes the changes that two persons have agreed on, in the transaction of the approval. The same code is
 * tried, and rolled back, when a change is requested.
 */
import type { Audited } from '@causeway/events'
import { isRefused, refuse } from '@causeway/services'
import type { Making } from '@causeway/approvals'
import { moneyChanges, type Ledger } from '@causeway/ledger'
import { parseDecimal } from '@causeway/money'
import type { Transaction } from '@causeway/postgres'
import type { RefusedChange } from '../domain/refusal.ts'
import { applyChanges, applyCreation } from '../participants/apply.ts'
import { change, type ParticipantChange, type Decision } from '../participants/domain/change.ts'
import {
  accountsFor,
  limitEach,
  openEach,
  type AccountWanted,
  type Models,
} from '../participants/domain/open.ts'
import type { Participant } from '../participants/domain/participant.ts'
import { limitsFault } from '../participants/domain/scheme.ts'
import { setAccountLimit, setEndpoint, setThreshold } from '../participants/domain/update.ts'
import {
  createdAs,
  lockHub,
  lockOne,
  nameFault,
  stateOfNew,
  type HandleParts,
  type ParticipantOutcome,
} from '../participants/handle.ts'
import { openIn } from '../participants/open.ts'
import type { ContentOf } from './content.ts'

export type ChangeOutcome =
  | RefusedChange
  | {
      readonly type: 'DONE'
      /** Null when nothing has changed. */
      readonly audited: Audited | null
      /** After the change, where that is of a participant. */
      readonly participant?: Participant
      /** The state before, if it has changed. */
      readonly oldState?: string | null
    }

/** Creates the participant with all its accounts, limits and endpoints, or nothing. */
export async function participantCreated(
  tx: Transaction,
  parts: HandleParts,
  { name, type, currencies, accounts: sent, endpoints: addresses }: ContentOf<'CreateParticipant'>,
  { requestId, createdBy, now, prepared: models }: Making<Models>,
): Promise<ParticipantOutcome> {
  const { bus, rules } = parts
  const hub = await lockHub(tx, rules.hubName)
  if (name === hub.name) return refuse('NAME_RESERVED', `${name} is the hub`)
  if ((await lockOne(tx, name)) !== undefined) {
    return refuse('PARTICIPANT_EXISTS', `${name} already exists`)
  }
  const reserved = await nameFault(tx, parts, name)
  if (reserved !== undefined) return reserved
  const given = sent.map(accountWanted)
  const tooFine = limitsFault(rules.decimals?.(), given)
  if (tooFine !== undefined) return tooFine
  const unserved = currencies.find((currency) => (models.get(currency) ?? []).length === 0)
  if (unserved !== undefined) {
    return refuse('NO_SETTLEMENT_MODEL', `no active settlement model serves ${unserved}`)
  }
  const accounts = accountsFor(currencies, models, given)
  const blank = { ...hub, name, type, isHub: false, accounts: [], endpoints: [] }
  const decision = openEach(hub, blank, accounts, models, createdBy)
  if (decision.type === 'REFUSE') return decision
  const creation = { name, type, createdBy, ...stateOfNew(parts) }
  await applyCreation(bus, tx, creation, decision.changes, now, requestId)
  const created = await lockOne(tx, name)
  if (created === undefined) throw new Error(`${name} was not created`)
  const endpoints = endpointsSet(created, addresses, createdBy)
  if (endpoints.type === 'REFUSE') return endpoints
  const changes = [...limitEach(created, accounts), ...endpoints.changes]
  await applyChanges(bus, tx, [{ participant: created, changes }], now)
  return createdAs(tx, name)
}

/** @param making `prepared`: whether what a participant owes stays covered */
export async function fundsMoved(
  tx: Transaction,
  { rules }: HandleParts,
  { participantId: name, reason: explanation, ...content }: ContentOf<'ManageFunds'>,
  { requestId: transferId, prepared: protects }: Making<boolean>,
): Promise<ChangeOutcome> {
  const message = { ...content, transferId, name, explanation }
  const command =
    content.direction === 'DEPOSIT'
      ? moneyChanges.depositOf(message)
      : moneyChanges.withdrawalOf(message, { protects, isFinal: true, validity_ms: 0 })
  return isRefused(command)
    ? command
    : moneyChanges.coveredOr(await moneyChanges.fundsIn(tx, rules, command))
}

export function coverReserved(
  tx: Transaction,
  rules: Ledger['rules'],
  { participantId: participant, currency, mode, value }: ContentOf<'ReserveLiquidityCover'>,
  { requestId, createdBy }: Making<unknown>,
): Promise<ChangeOutcome> {
  const command = { requestId, participant, currency, mode, value: unitsOf(value), createdBy }
  return moneyChanges.coverIn(tx, rules, command)
}

export async function accountAdded(
  tx: Transaction,
  { bus, rules }: HandleParts,
  { participantId: name, ...account }: ContentOf<'AddParticipantAccount'>,
  { requestId, createdBy, prepared: models }: Making<Models>,
): Promise<ChangeOutcome> {
  const accounts = [accountWanted(account)]
  const tooFine = limitsFault(rules.decimals?.(), accounts)
  if (tooFine !== undefined) return tooFine
  return openIn(tx, bus, rules.hubName, { requestId, name, accounts, models, createdBy })
}

export function limitSet(
  { decimals }: HandleParts['rules'],
  participant: Participant,
  { accountId, value }: ContentOf<'UpdateAccountLimit'>,
): Decision {
  const limit = unitsOf(value)
  const accounts = participant.accounts
    .filter(({ id }) => id === accountId)
    .map(({ currency }) => ({ currency, limit }))
  return limitsFault(decimals?.(), accounts) ?? setAccountLimit(participant, accountId, limit)
}

export function thresholdSet(
  participant: Participant,
  { accountId, alarmPercentage }: ContentOf<'UpdateAccountThreshold'>,
): Decision {
  return setThreshold(participant, accountId, unitsOf(alarmPercentage))
}

export function endpointsSet(
  participant: Participant,
  endpoints: ContentOf<'UpdateEndpoints'>['endpoints'],
  createdBy: string,
): Decision {
  const changes: ParticipantChange[] = []
  for (const endpoint of endpoints) {
    const decision = setEndpoint(participant, { ...endpoint, createdBy })
    if (decision.type === 'REFUSE') return decision
    changes.push(...decision.changes)
  }
  return change(...changes)
}

function accountWanted({
  ledgerAccountType: type,
  currency,
  limit,
  alarmPercentage,
}: ContentOf<'CreateParticipant'>['accounts'][number]): AccountWanted {
  return {
    type,
    currency,
    limit: limit === undefined ? null : unitsOf(limit),
    alarmPercentage: alarmPercentage === undefined ? null : unitsOf(alarmPercentage),
  }
}

/** The text was validated before it was stored. */
function unitsOf(text: string): bigint {
  const units = parseDecimal(text)
  if (units === undefined) throw new Error(`a request holds the amount '${text}'`)
  return units
}
