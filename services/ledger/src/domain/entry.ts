/** An entry: what the ledger stores permanently for one id. */

import type {
  LedgerEntryKind,
  LedgerEntryOutcome,
  LedgerEntryReason,
  SettlementKind,
} from '@causeway/protos'

/** How a transfer is settled; stored by the first reserve, never compared. */
export interface Settlement {
  readonly modelId: number
  readonly settles: SettlementKind
}

/** What a repeated call must agree with. */
export interface Terms {
  /** Names of participants, which may be unknown. */
  readonly payer: string
  readonly payee: string
  readonly amount: bigint
  readonly currency: string
}

/** Participants' ids; null for an unknown name. */
export interface Parties {
  readonly payerId: number | null
  readonly payeeId: number | null
}

/** The accounts that an entry moves. */
export interface Accounts {
  readonly debitAccountId: number
  readonly creditAccountId: number
}

/** The figures on which the limit check was made. */
export interface Facts {
  readonly position: bigint
  readonly cover: bigint
  readonly cap: bigint
}

/** The interchange fee that is held with a transfer. */
export interface Fee {
  readonly amount: bigint
  /** The settlement model that it is netted under. */
  readonly modelId: number
}

export interface Entry {
  readonly id: string
  readonly kind: LedgerEntryKind
  readonly outcome: LedgerEntryOutcome
  /** Of REFUSED and VOIDED, else null. */
  readonly reason: LedgerEntryReason | null
  /** Null for a tombstone: an id that was voided before it was reserved. */
  readonly terms: Terms | null
  readonly parties: Parties
  /** Null when nothing was reserved. */
  readonly accounts: Accounts | null
  /** Null for funds. */
  readonly expiresAt: Date | null
  readonly settlement: Settlement | null
  /** The interchange fee that is held with the transfer; null: none. */
  readonly fee: Fee | null
  /** The window a posted transfer was stamped with; null when it is settled gross at once. */
  readonly windowId: number | null
  readonly facts: Facts | null
  /** Opaque, at most `evidence_bytes_max`; empty when there is none. */
  readonly evidence: Buffer
  readonly createdAt: Date
  /** Null while reserved. */
  readonly completedAt: Date | null
}

export const evidence_bytes_max = 16_384
export const noEvidence = Buffer.alloc(0)
export const noParties: Parties = { payerId: null, payeeId: null }

export function sameTerms(a: Terms, b: Terms): boolean {
  return (
    a.amount === b.amount && a.currency === b.currency && a.payer === b.payer && a.payee === b.payee
  )
}

/** Whether the ledger settles such a transfer in the step that posts it, so that it is in no window. */
export function settlesAtOnce(kind: SettlementKind | undefined): boolean {
  return kind === 'GROSS_IMMEDIATE' || kind === 'GROSS_IMMEDIATE_MULTILATERAL'
}
