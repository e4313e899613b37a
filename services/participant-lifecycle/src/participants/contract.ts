/** Wire ↔ domain of participants. A value out of bounds is refused as INVALID with its name. */
import { isEndpointType, isEndpointValue } from '@causeway/fspiop'
import { isRefused, refuse, type Refused } from '@causeway/ledger/domain'
import { formatAmount, isCurrency, parseDecimal } from '@causeway/money'
import type {
  Account as AccountMessage,
  Limit as LimitMessage,
  Participant as ParticipantMessage,
} from '@causeway/protos'
import {
  openingBalance,
  type Limit,
  type Participant,
  type ParticipantAccount,
} from './domain/participant.ts'
import type { InitialLimit } from './domain/update.ts'

const limitType = 'NET_DEBIT_CAP'
const namePattern = /^[A-Za-z0-9_.-]{2,30}$/
/** 100 percent in ten-thousandths. */
const percentage_max = 1_000_000n

/** The error in the name or currency of a new participant. */
export function creationFault(name: string, currency: string): Refused | undefined {
  return nameFault(name) ?? currencyFault(currency)
}

/** The same of a PISP, which has no currency. */
export function pispFault(name: string, currency: string): Refused | undefined {
  const isBare = currency === ''
  return nameFault(name) ?? (isBare ? undefined : refuse('INVALID', 'a PISP has no currency'))
}

function nameFault(name: string): Refused | undefined {
  return namePattern.test(name)
    ? undefined
    : refuse('INVALID', 'name has 2 to 30 letters, digits, hyphens, dots or underscores')
}

export function currencyFault(currency: string): Refused | undefined {
  return isCurrency(currency) ? undefined : refuse('INVALID', `${currency} is not a currency`)
}

/**
 * The error in an endpoint: its type must be in the closed list and its value valid for the type.
 */
export function endpointFault(type: string, value: string): Refused | undefined {
  if (!isEndpointType(type)) return refuse('INVALID', 'type is not an endpoint type')
  return isEndpointValue(type, value)
    ? undefined
    : refuse('INVALID', `value is not valid for ${type}`)
}

/** An empty alarmPercentage means the current value, or the default. */
export function limitOf(
  currency: string,
  limit: LimitMessage | null | undefined,
): InitialLimit | Refused {
  if (limit?.type !== limitType) return refuse('INVALID', `limit.type is ${limitType}`)
  const value = parseDecimal(limit.value)
  if (value === undefined || value < 0n) {
    return refuse('INVALID', 'limit.value is a decimal of at least 0')
  }
  if (limit.alarmPercentage === '') return { currency, value, alarmPercentage: null }
  const alarmPercentage = percentageOf(limit.alarmPercentage)
  return isRefused(alarmPercentage) ? alarmPercentage : { currency, value, alarmPercentage }
}

export function percentageOf(text: string): bigint | Refused {
  const percentage = parseDecimal(text)
  return percentage === undefined || percentage < 0n || percentage > percentage_max
    ? refuse('INVALID', 'alarmPercentage is between 0 and 100')
    : percentage
}

/** The position to begin with; empty means 0. */
export function positionOf(text: string): bigint | Refused {
  const position = text === '' ? 0n : parseDecimal(text)
  return position ?? refuse('INVALID', 'initialPosition is a decimal')
}

export function participantMessage(participant: Participant): ParticipantMessage {
  return {
    id: participant.id,
    name: participant.name,
    isActive: participant.isActive,
    isHub: participant.isHub,
    createdAt: participant.createdAt.toISOString(),
    createdBy: participant.createdBy,
    version: participant.version,
    state: participant.state,
    type: participant.type,
    accounts: participant.accounts
      .filter(({ type }) => type !== openingBalance)
      .map(accountMessage),
    endpoints: participant.endpoints.map(({ type, value }) => ({ type, value })),
  }
}

function accountMessage(account: ParticipantAccount): AccountMessage {
  return {
    id: account.id,
    ledgerAccountType: account.type,
    currency: account.currency,
    isActive: account.isActive,
    createdAt: account.createdAt.toISOString(),
    createdBy: account.createdBy,
    limit: account.limit && limitMessage(account.limit),
  }
}

export function limitMessage({ value, alarmPercentage }: Limit): LimitMessage {
  return {
    type: limitType,
    value: formatAmount(value),
    alarmPercentage: formatAmount(alarmPercentage),
  }
}
