/** Wire ↔ domain of participants. A value out of bounds is refused as INVALID with its name. */
import { isRefused, refuse } from '@causeway/services'
import { endpointValueFault, isEndpointType } from '@causeway/fspiop'
import { formatAmount, isCurrency, parseDecimal } from '@causeway/money'
import type {
  Account as AccountMessage,
  Limit as LimitMessage,
  Participant as ParticipantMessage,
} from '@causeway/protos'
import type { RefusedChange } from '../domain/refusal.ts'
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
export function creationFault(name: string, currency: string): RefusedChange | undefined {
  return newNameFault(name) ?? currencyFault(currency)
}

/** The same of a PISP, which has no currency. */
export function pispFault(name: string, currency: string | undefined): RefusedChange | undefined {
  const isBare = currency === undefined
  return newNameFault(name) ?? (isBare ? undefined : refuse('INVALID', 'a PISP has no currency'))
}

/**
 * A name is a segment of paths and a key of objects, also in the programs of others: so it is neither `..`,
 * which such a path loses, nor the name of a member that every object of JavaScript has.
 */
export function newNameFault(name: string): RefusedChange | undefined {
  if (!namePattern.test(name)) {
    return refuse('INVALID', 'name has 2 to 30 letters, digits, hyphens, dots or underscores')
  }
  return name === '..' || name === 'prototype' || name in Object.prototype
    ? refuse('INVALID', `no participant may have the name ${name}`)
    : undefined
}

export function currencyFault(currency: string): RefusedChange | undefined {
  return isCurrency(currency) ? undefined : refuse('INVALID', `${currency} is not a currency`)
}

/**
 * The error in an endpoint: its type must be in the closed list and its value valid for the type.
 */
export function endpointFault(type: string, value: string): RefusedChange | undefined {
  if (!isEndpointType(type)) return refuse('INVALID', 'type is not an endpoint type')
  const fault = endpointValueFault(type, value)
  return fault === undefined ? undefined : refuse('INVALID', `value ${fault}`)
}

/** Without an alarmPercentage: the current value, or the default. */
export function limitOf(
  currency: string,
  limit: LimitMessage | null | undefined,
): InitialLimit | RefusedChange {
  if (limit?.type !== limitType) return refuse('INVALID', `limit.type is ${limitType}`)
  const value = parseDecimal(limit.value)
  if (value === undefined || value < 0n) {
    return refuse('INVALID', 'limit.value is a decimal of at least 0')
  }
  if (limit.alarmPercentage === undefined) return { currency, value, alarmPercentage: null }
  const alarmPercentage = percentageOf(limit.alarmPercentage)
  return isRefused(alarmPercentage) ? alarmPercentage : { currency, value, alarmPercentage }
}

export function percentageOf(text: string): bigint | RefusedChange {
  const percentage = parseDecimal(text)
  return percentage === undefined || percentage < 0n || percentage > percentage_max
    ? refuse('INVALID', 'alarmPercentage is between 0 and 100')
    : percentage
}

/** The position to begin with. */
export function positionOf(text = '0'): bigint | RefusedChange {
  const position = parseDecimal(text)
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
    stateName: participant.state,
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
