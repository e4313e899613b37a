/** Changing a participant: states, limits, account status and endpoints. */
import { closed, permittedIn, refuse, type States } from '@causeway/services'
import { change, type ParticipantChange, type Decision } from './change.ts'
import { accountIn, openingBalance, type Limit, type Participant } from './participant.ts'

/** 10 percent, if the operator gives none. */
export const defaultAlarmPercentage = 100_000n

/**
 * Changes only the participant's state; its accounts keep their status, and reservations can still
 * finish.
 */
export function setState(participant: Participant, state: string, states: States): Decision {
  if (participant.isHub) return refuse('HUB_UNCHANGEABLE', 'the hub is always active')
  if (participant.type === 'AUTH_SERVICE') {
    return refuse('HUB_UNCHANGEABLE', 'the auth service is a part of the hub')
  }
  if (!states.has(state)) {
    return refuse('STATE_UNKNOWN', `${state} is none of ${[...states.keys()].join(', ')}`)
  }
  const { state: old } = participant
  if (old === closed && state !== closed) {
    return refuse('STATE_FINAL', `${participant.name} is ${closed}`)
  }
  const isActive = permittedIn(states, state).has('TRANSFERS')
  return old === state ? change() : change({ type: 'SET_STATE', state, old, isActive })
}

export interface InitialLimit {
  readonly currency: string
  readonly value: bigint
  /** Null: the default. */
  readonly alarmPercentage: bigint | null
}

/** A settlement model of positions opens an account of one of these types. */
const coverTypes = ['SETTLEMENT', 'INTERCHANGE_FEE_SETTLEMENT']

/** The first limit; all accounts of the currency become active. */
export function setInitialLimit(
  participant: Participant,
  { currency, value, alarmPercentage }: InitialLimit,
): Decision {
  const position = accountIn(participant, 'POSITION', currency)
  const isCovered = coverTypes.some((type) => accountIn(participant, type, currency) !== undefined)
  if (position === undefined || !isCovered) {
    return refuse('ACCOUNT_UNKNOWN', `${participant.name} has no accounts in ${currency}`)
  }
  if (position.limit !== null) {
    return refuse('LIMITS_EXIST', `${participant.name} has its limits in ${currency} already`)
  }
  const limit: Limit = { value, alarmPercentage: alarmPercentage ?? defaultAlarmPercentage }
  const activated = participant.accounts
    .filter((account) => account.currency === currency && !account.isActive)
    .map(({ id }): ParticipantChange => ({
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

/** Existing reservations stay, regardless of the new limit. */
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

/** Sets the percentage at which the operator is warned; the limit is unchanged. */
export function setThreshold(
  participant: Participant,
  accountId: number,
  alarmPercentage: bigint,
): Decision {
  const account = accountById(participant, accountId)
  if (account === undefined) return unknownAccount(participant, accountId)
  if (account.limit === null) {
    return refuse('LIMIT_UNKNOWN', `account ${accountId} has no limit yet`)
  }
  const { currency } = account
  return setLimit(participant, { currency, value: account.limit.value, alarmPercentage })
}

/** The limit of one account; a first one needs no initial position. */
export function setAccountLimit(
  participant: Participant,
  accountId: number,
  value: bigint,
): Decision {
  const account = accountById(participant, accountId)
  if (account === undefined) return unknownAccount(participant, accountId)
  if (account.type !== 'POSITION') {
    return refuse('ACCOUNT_TYPE_WRONG', `account ${accountId} is not of type POSITION`)
  }
  if (account.limit === null) {
    const limit: Limit = { value, alarmPercentage: defaultAlarmPercentage }
    return change({ type: 'SET_LIMIT', accountId, currency: account.currency, limit, old: null })
  }
  return setLimit(participant, { currency: account.currency, value, alarmPercentage: null })
}

function accountById(participant: Participant, accountId: number) {
  return participant.accounts.find(({ id, type }) => id === accountId && type !== openingBalance)
}

function unknownAccount({ name }: Participant, accountId: number): Decision {
  return refuse('ACCOUNT_UNKNOWN', `${name} has no account ${accountId}`)
}

/** An inactive account takes no new movements; what is reserved can still finish. */
export function setAccountStatus(
  participant: Participant,
  accountId: number,
  isActive: boolean,
): Decision {
  const account = accountById(participant, accountId)
  if (account === undefined) return unknownAccount(participant, accountId)
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
    : change({
        type: 'SET_ENDPOINT',
        endpointType: type,
        value,
        old: old?.value ?? null,
        createdBy,
      })
}
