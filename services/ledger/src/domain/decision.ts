/**
 * What the ledger sees when it decides about one command, and what it decides: it stores at most one entry,
 * with its movements.
 */
import type { DecimalBounds } from '@causeway/money'
import type { Permission } from '@causeway/services'
import type { Account } from './account.ts'
import type { Entry } from './entry.ts'
import type { FeeRule } from './fee.ts'
import type { ModelRule } from './model-rule.ts'
import type { Movement } from './movement.ts'

export const hubId = 1

export interface TransferParty {
  readonly id: number
  readonly name: string
  readonly isActive: boolean
  /** Whether it has an address for POST /transfers, and for POST /bulkTransfers. */
  readonly takesTransfers: boolean
  readonly takesBulks: boolean
  /** What its state permits. */
  readonly permits: ReadonlySet<Permission>
}

/** The rows of the batch, as the commands before this one changed them. */
export interface Book {
  readonly now: Date
  readonly windowId: number
  /** How fine amounts may be. */
  readonly decimals: DecimalBounds | undefined
  entry(id: string): Entry | undefined
  party(name: string): TransferParty | undefined
  account(id: number): Account | undefined
  accountOf(participantId: number, type: string, currency: string): Account | undefined
  feeRule(currency: string): FeeRule | undefined
  readonly models: readonly ModelRule[]
}

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
