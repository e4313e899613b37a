/** Changing what is there: states, limits, account status and endpoints. */
import { change, refuse, type Change, type Decision } from './change.ts'
import { accountIn, openingBalance, type Limit, type Participant } from './participant.ts'

/** 10 percent, where the operator names none. */
export const defaultAlarmPercentage = 100_000n

/** Only the participant's own flag; accounts keep theirs, and what is reserved can still finish. */
export function setState(participant: Participant, isActive: boolean): Decision {
  if (participant.isHub) return refuse('HUB_UNCHANGEABLE', 'the hub is always active')
  return participant.isActive === isActive ? change() : change({ type: 'SET_STATE', isActive })
}

export interface InitialLimit {
  readonly currency: string
  readonly value: bigint
  /** Null: the default. */
  readonly alarmPercentage: bigint | null
}

/** The first limit; all accounts of the currency become active. */
export function setInitialLimit(
  participant: Participant,
  { currency, value, alarmPercentage }: InitialLimit,
): Decision {
  const position = accountIn(participant, 'POSITION', currency)
  if (position === undefined || accountIn(participant, 'SETTLEMENT', currency) === undefined) {
    return refuse('ACCOUNT_UNKNOWN', `${participant.name} has no accounts in ${currency}`)
  }
  if (position.limit !== null) {
    return refuse('LIMITS_EXIST', `${participant.name} has its limits in ${currency} already`)
  }
  const limit: Limit = { value, alarmPercentage: alarmPercentage ?? defaultAlarmPercentage }
  const activated = participant.accounts
    .filter((account) => account.currency === currency && !account.isActive)
    .map(({ id }): Change => ({
      type: 'SET_ACCOUNT_STATUS',
      accountId: id,
      currency,
      isActive: true,
    }))
  return change(
    { type: 'SET_LIMIT', accountId: position.id, currency, limit, old: null },
    ...activated,
  )
}

/** Reservations that are there stay, whatever the new limit is. */
export function setLimit(
  participant: Participant,
  { currency, value, alarmPercentage }: InitialLimit,
): Decision {
  const position = accountIn(participant, 'POSITION', currency)
  if (position === undefined) {
    return refuse('ACCOUNT_UNKNOWN', `${participant.name} has no POSITION account in ${currency}`)
  }
  const old = position.limit
  if (old === null) {
    return refuse('LIMIT_UNKNOWN', `${participant.name} has no limit in ${currency} yet`)
  }
  const limit: Limit = { value, alarmPercentage: alarmPercentage ?? old.alarmPercentage }
  return limit.value === old.value && limit.alarmPercentage === old.alarmPercentage
    ? change()
    : change({ type: 'SET_LIMIT', accountId: position.id, currency, limit, old })
}

/** An inactive account takes no new movements; what is reserved can still finish. */
export function setAccountStatus(
  participant: Participant,
  accountId: number,
  isActive: boolean,
): Decision {
  const account = participant.accounts.find(
    ({ id, type }) => id === accountId && type !== openingBalance,
  )
  if (account === undefined) {
    return refuse('ACCOUNT_UNKNOWN', `${participant.name} has no account ${accountId}`)
  }
  const { currency } = account
  return account.isActive === isActive
    ? change()
    : change({ type: 'SET_ACCOUNT_STATUS', accountId, currency, isActive })
}

export function setEndpoint(
  participant: Participant,
  {
    type,
    value,
    createdBy,
  }: { readonly type: string; readonly value: string; readonly createdBy: string },
): Decision {
  const old = participant.endpoints.find((endpoint) => endpoint.type === type)
  return old?.value === value
    ? change()
    : change({ type: 'SET_ENDPOINT', endpointType: type, value, createdBy })
}
