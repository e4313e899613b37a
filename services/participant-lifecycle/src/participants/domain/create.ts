/** Creating participants and opening their accounts: one pair for each settlement model. */
import { refuse } from '@causeway/services'
import type { RefusedChange } from '../../domain/refusal.ts'
import { change, withoutAccounts, type ParticipantChange, type Changed } from './change.ts'
import {
  accountIn,
  hasAccounts,
  hubAccountTypes,
  type HubAccountType,
  type Participant,
} from './participant.ts'

/** An active settlement model that serves the currency. */
export interface ModelPair {
  readonly ledgerAccountType: string
  readonly settlementAccountType: string
}

export interface Creation {
  readonly name: string
  readonly currency: string
  readonly createdBy: string
  readonly models: readonly ModelPair[]
}

/** Hub accounts that a currency requires. */
const needed: readonly HubAccountType[] = ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']

/** The accounts to open, inactive; a new participant is created with them. */
export function create(
  hub: Participant,
  existing: Participant | undefined,
  { name, currency, createdBy, models }: Creation,
): RefusedChange | Changed {
  if (name === hub.name) return refuse('NAME_RESERVED', `${name} is the hub`)
  if (existing !== undefined && !hasAccounts(existing)) return withoutAccounts(existing)
  if (existing?.accounts.some((account) => account.currency === currency) === true) {
    return refuse('CURRENCY_EXISTS', `${name} has accounts in ${currency} already`)
  }
  const missing = needed.filter((type) => accountIn(hub, type, currency)?.isActive !== true)
  if (missing.length > 0) {
    return refuse(
      'HUB_ACCOUNTS_MISSING',
      `the hub has no active ${missing.join(', ')} in ${currency}`,
    )
  }
  if (models.length === 0) {
    return refuse('NO_SETTLEMENT_MODEL', `no active settlement model serves ${currency}`)
  }
  return change(...opened(typesOf(models), currency, createdBy, false))
}

/** A PISP has no accounts and so no currency that could be added later. */
export function createPisp(
  hub: Participant,
  existing: Participant | undefined,
  name: string,
): RefusedChange | Changed {
  if (name === hub.name) return refuse('NAME_RESERVED', `${name} is the hub`)
  return existing === undefined ? change() : refuse('PARTICIPANT_EXISTS', `${name} already exists`)
}

/** The accounts of a new model that a participant with the currency lacks. */
export function addModelAccounts(
  participant: Participant,
  pair: ModelPair,
  currency: string,
  createdBy: string,
): Changed {
  const missing = typesOf([pair]).filter(
    (type) => accountIn(participant, type, currency) === undefined,
  )
  return change(...opened(missing, currency, createdBy, false))
}

/** A hub account is active at once, because no later step would activate it. */
export function createHubAccount(
  participant: Participant,
  {
    type,
    currency,
    createdBy,
  }: { readonly type: string; readonly currency: string; readonly createdBy: string },
): RefusedChange | Changed {
  if (!participant.isHub) return refuse('NOT_HUB', `${participant.name} is not the hub`)
  if (!hubAccountTypes.includes(type)) {
    return refuse('ACCOUNT_TYPE_WRONG', `the hub has no accounts of type ${type}`)
  }
  if (accountIn(participant, type, currency) !== undefined) {
    return refuse('ACCOUNT_EXISTS', `the hub has a ${type} account in ${currency} already`)
  }
  return change(...opened([type], currency, createdBy, true))
}

function typesOf(models: readonly ModelPair[]): readonly string[] {
  return [
    ...new Set(
      models.flatMap(({ ledgerAccountType, settlementAccountType }) => [
        ledgerAccountType,
        settlementAccountType,
      ]),
    ),
  ]
}

function opened(
  types: readonly string[],
  currency: string,
  createdBy: string,
  isActive: boolean,
): readonly ParticipantChange[] {
  return types.map((accountType) => ({
    type: 'OPEN_ACCOUNT',
    accountType,
    currency,
    isActive,
    createdBy,
  }))
}
