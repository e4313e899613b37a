/** Opening single accounts, active at once because two persons have approved them. */
import { refuse } from '@causeway/services'
import type { RefusedChange } from '../../domain/refusal.ts'
import { change, withoutAccounts, type ParticipantChange, type Changed } from './change.ts'
import { createHubAccount, type ModelPair } from './create.ts'
import { accountIn, hasAccounts, type Participant } from './participant.ts'
import { defaultAlarmPercentage } from './update.ts'

export interface AccountWanted {
  readonly type: string
  readonly currency: string
  /** Of a POSITION account; null: none. */
  readonly limit: bigint | null
  /** Null: the default. */
  readonly alarmPercentage: bigint | null
}

/** The active settlement models of each currency. */
export type Models = ReadonlyMap<string, readonly ModelPair[]>

/** The accounts to open; their limits are set once they have ids. */
export function openEach(
  hub: Participant,
  participant: Participant,
  wanted: readonly AccountWanted[],
  models: Models,
  createdBy: string,
): RefusedChange | Changed {
  const changes: ParticipantChange[] = []
  for (const account of wanted) {
    const refusal = faultOf(hub, participant, account, models)
    if (refusal !== undefined) return refusal
    const { type: accountType, currency } = account
    const isTwice = changes.some(
      (one) =>
        one.type === 'OPEN_ACCOUNT' && one.accountType === accountType && one.currency === currency,
    )
    if (isTwice) return refuse('ACCOUNT_EXISTS', `${accountType} in ${currency} is requested twice`)
    changes.push({ type: 'OPEN_ACCOUNT', accountType, currency, isActive: true, createdBy })
  }
  return change(...changes)
}

/** The limits of the opened accounts of the participant. */
export function limitEach(
  participant: Participant,
  wanted: readonly AccountWanted[],
): readonly ParticipantChange[] {
  return wanted.flatMap(
    ({ type, currency, limit: value, alarmPercentage }): readonly ParticipantChange[] => {
      const account = accountIn(participant, type, currency)
      if (value === null || account === undefined) return []
      const limit = { value, alarmPercentage: alarmPercentage ?? defaultAlarmPercentage }
      return [{ type: 'SET_LIMIT', accountId: account.id, currency, limit, old: null }]
    },
  )
}

function faultOf(
  hub: Participant,
  participant: Participant,
  { type, currency, limit }: AccountWanted,
  models: Models,
): RefusedChange | undefined {
  if (participant.isHub) {
    const decision = createHubAccount(participant, { type, currency, createdBy: '' })
    return decision.type === 'REFUSE' ? decision : undefined
  }
  const { name } = participant
  if (!hasAccounts(participant)) return withoutAccounts(participant)
  if (accountIn(participant, type, currency) !== undefined) {
    return refuse('ACCOUNT_EXISTS', `${name} has a ${type} account in ${currency} already`)
  }
  if (limit !== null && type !== 'POSITION') {
    return refuse('INVALID', 'only an account of type POSITION has a limit')
  }
  return hubFault(hub, currency) ?? typeFault(type, currency, models.get(currency) ?? [])
}

function hubFault(hub: Participant, currency: string): RefusedChange | undefined {
  const missing = ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT'].filter(
    (type) => accountIn(hub, type, currency)?.isActive !== true,
  )
  return missing.length === 0
    ? undefined
    : refuse('HUB_ACCOUNTS_MISSING', `the hub has no active ${missing.join(', ')} in ${currency}`)
}

function typeFault(
  type: string,
  currency: string,
  models: readonly ModelPair[],
): RefusedChange | undefined {
  if (models.length === 0) {
    return refuse('NO_SETTLEMENT_MODEL', `no active settlement model serves ${currency}`)
  }
  const served = models.flatMap((model) => [model.ledgerAccountType, model.settlementAccountType])
  return served.includes(type)
    ? undefined
    : refuse('ACCOUNT_TYPE_WRONG', `no settlement model of ${currency} uses ${type}`)
}

/** The accounts that the models of the currencies need, each once, with the given limits. */
export function accountsFor(
  currencies: readonly string[],
  models: Models,
  given: readonly AccountWanted[],
): readonly AccountWanted[] {
  const needed = currencies.flatMap((currency) => {
    const types = (models.get(currency) ?? []).flatMap((model) => [
      model.ledgerAccountType,
      model.settlementAccountType,
    ])
    return [...new Set(types)].map((type) => ({ type, currency }))
  })
  const isGiven = ({ type, currency }: Pick<AccountWanted, 'type' | 'currency'>) =>
    given.some((one) => one.type === type && one.currency === currency)
  const plain = needed
    .filter((one) => !isGiven(one))
    .map((one) => ({ ...one, limit: null, alarmPercentage: null }))
  return [...given, ...plain]
}
