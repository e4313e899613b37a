/** An account as a row, for the ledger's batches and for read-only queries. */
import type { Account } from './domain/account.ts'

/** Columns of accounts, and of its limit `cap`. */
export interface AccountRow {
  readonly id: number
  readonly participant_id: number
  readonly type: string
  readonly currency: string
  readonly is_active: boolean
  readonly debits_posted: string
  readonly debits_pending: string
  readonly credits_posted: string
  readonly credits_pending: string
  readonly excluded: string
  readonly excluded_percentage: string | null
  readonly unpaid: string
  readonly unpaid_batch: string | null
  readonly changed_at: Date
  readonly cap: string | null
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    participantId: row.participant_id,
    type: row.type,
    currency: row.currency,
    isActive: row.is_active,
    debitsPosted: BigInt(row.debits_posted),
    debitsPending: BigInt(row.debits_pending),
    creditsPosted: BigInt(row.credits_posted),
    creditsPending: BigInt(row.credits_pending),
    cap: row.cap === null ? null : BigInt(row.cap),
    excluded: BigInt(row.excluded),
    excludedPercentage: row.excluded_percentage === null ? null : BigInt(row.excluded_percentage),
    unpaid: BigInt(row.unpaid),
    unpaidBatch: row.unpaid_batch === null ? null : BigInt(row.unpaid_batch),
    changedAt: row.changed_at,
  }
}
