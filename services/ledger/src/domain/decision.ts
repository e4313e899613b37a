/** What the ledger decides about one command: it stores at most one entry, with its movements. */
import type { Entry } from './entry.ts'
import type { Movement } from './movement.ts'

/** Why funds are declined; nothing is stored, so the same id may try again. */
export type FundsRefusal =
  | 'PARTICIPANT_UNKNOWN'
  | 'PARTICIPANT_INACTIVE'
  | 'ACCOUNT_UNKNOWN'
  | 'ACCOUNT_TYPE_WRONG'
  | 'CURRENCY_MISMATCH'
  | 'DECIMALS_TOO_MANY'
  | 'ACCOUNT_INACTIVE'
  | 'HUB_ACCOUNTS_MISSING'

/** An entry with what it moves. */
export interface Recorded {
  readonly entry: Entry
  readonly movements: readonly Movement[]
  /** The SETTLEMENT account whose participant is to pay the amount by funds out. */
  readonly unpaidOn?: number
}

export type Decision =
  /** The entry exists already and is the answer. */
  | { readonly type: 'EXISTS'; readonly entry: Entry }
  /** The entry is stored, or replaces the stored one, and the movements are made. */
  | ({ readonly type: 'STORE'; readonly alongside?: Recorded } & Recorded)
  /** The id is used with other terms or by another kind of entry. */
  | { readonly type: 'MISMATCH' }
  /** There is no such id. */
  | { readonly type: 'UNKNOWN' }
  /** The timeout is not due yet; retry after so many milliseconds. */
  | { readonly type: 'TOO_EARLY'; readonly retry_ms: number }
  | { readonly type: 'DECLINE'; readonly reason: FundsRefusal }

export const mismatch: Decision = { type: 'MISMATCH' }
export const unknown: Decision = { type: 'UNKNOWN' }
