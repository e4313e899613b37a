/** What can change about a participant, and why a command is refused. */
import type { FundsRefusal } from '../../ledger/domain/decision.ts'
import type { Limit } from './participant.ts'

export type Change =
  | {
      readonly type: 'OPEN_ACCOUNT'
      readonly accountType: string
      readonly currency: string
      readonly isActive: boolean
      readonly createdBy: string
    }
  | {
      readonly type: 'SET_STATE'
      readonly state: string
      readonly old: string
      readonly isActive: boolean
    }
  | {
      readonly type: 'SET_ACCOUNT_STATUS'
      readonly accountId: number
      readonly currency: string
      readonly isActive: boolean
    }
  | {
      readonly type: 'SET_LIMIT'
      readonly accountId: number
      readonly currency: string
      readonly limit: Limit
      /** Null for the first one. */
      readonly old: Limit | null
    }
  | {
      readonly type: 'SET_ENDPOINT'
      readonly endpointType: string
      readonly value: string
      /** Null for the first one of its type. */
      readonly old: string | null
      readonly createdBy: string
    }

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

/** An empty list: the requested state is already in place. */
export interface Changed {
  readonly type: 'CHANGE'
  readonly changes: readonly Change[]
}

export type Decision = Refused | Changed

export function refuse(reason: Reason, detail: string): Refused {
  return { type: 'REFUSE', reason, detail }
}

export function change(...changes: readonly Change[]): Changed {
  return { type: 'CHANGE', changes }
}

/** Of a participant that is neither a DFSP nor the hub. */
export function withoutAccounts({ name, type }: { readonly name: string; readonly type: string }) {
  const what = type === 'PISP' ? 'a PISP' : 'the auth service of the hub'
  return refuse('ACCOUNT_TYPE_WRONG', `${name} is ${what}, which has no accounts`)
}
