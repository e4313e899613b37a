/** Why a command of an operator is refused, about participants, funds, cover and alarms. */
import type { FundsRefusal } from './decision.ts'

export type Reason =
  | FundsRefusal
  | 'LIMIT_UNKNOWN'
  | 'NAME_RESERVED'
  | 'CURRENCY_EXISTS'
  | 'NO_SETTLEMENT_MODEL'
  | 'NOT_HUB'
  | 'HUB_UNCHANGEABLE'
  | 'ACCOUNT_EXISTS'
  | 'LIMITS_EXIST'
  | 'MODIFIED'
  | 'COVER_SHORT'
  | 'FUNDS_UNKNOWN'
  | 'FUNDS_STATE_WRONG'
  | 'FUNDS_EXPIRED'
  | 'PARTICIPANT_EXISTS'
  | 'STATE_UNKNOWN'
  | 'STATE_FINAL'
  | 'ENDPOINT_UNREACHABLE'
  | 'REQUEST_UNKNOWN'
  | 'REQUEST_PENDING'
  | 'REQUEST_DECIDED'
  | 'SAME_PERSON'
  | 'INVALID'

export interface Refused {
  readonly type: 'REFUSE'
  readonly reason: Reason
  /** A clause for the caller, without a full stop. */
  readonly detail: string
}

export function refuse(reason: Reason, detail: string): Refused {
  return { type: 'REFUSE', reason, detail }
}

export function isRefused(value: object | bigint): value is Refused {
  return typeof value === 'object' && 'type' in value && value.type === 'REFUSE'
}

export function unknownParticipant(name: string): Refused {
  return refuse('PARTICIPANT_UNKNOWN', `there is no participant ${name}`)
}
