/** The commands of the ledger, each about one id. */
import type { VoidReason } from '@causeway/protos'
import type { Settlement, Terms } from './entry.ts'

export interface Reserve {
  readonly type: 'RESERVE'
  readonly id: string
  readonly terms: Terms
  readonly expiresAt: Date
  /** Null when no active settlement model serves the currency. */
  readonly settlement: Settlement | null
  /**
   * The accounts that the allocation found; null when it found none. They must match the
   * participants' accounts.
   */
  readonly payerAccountId: number | null
  readonly payeeAccountId: number | null
  /** Whether the payee is asked with the other items of a bulk transfer. */
  readonly isBulkItem: boolean
}

export interface Post {
  readonly type: 'POST'
  readonly id: string
  /** When the last byte of the payee's message was received, by the clock of fspiop-api. */
  readonly receivedAt: Date
  readonly evidence: Buffer
}

export interface Void {
  readonly type: 'VOID'
  readonly id: string
  readonly expiresAt: Date
  /** TIMEOUT is allowed only after the expiry and its grace; other reasons at any time. */
  readonly reason: VoidReason
  readonly evidence: Buffer
}

/** Money that a participant paid into the hub's bank account. */
export interface Deposit {
  readonly type: 'DEPOSIT'
  readonly id: string
  readonly participant: string
  readonly accountId: number
  readonly amount: bigint
  readonly currency: string
  /** Reference, reason and extensions as bytes; part of what a repeat must agree with. */
  readonly evidence: Buffer
}

/** Money that a participant takes out of the hub's bank account. */
export interface Withdraw {
  readonly type: 'WITHDRAW'
  readonly id: string
  readonly participant: string
  readonly accountId: number
  readonly amount: bigint
  readonly currency: string
  /** Reference, reason and extensions as bytes; part of what a repeat must agree with. */
  readonly evidence: Buffer
  /** Whether what the participant owes has to stay covered. */
  readonly protects: boolean
  /** Whether the money has left already: held and committed in one step. */
  readonly isFinal: boolean
  /** How long it is held. */
  readonly validity_ms: number
}

/** The end of a withdrawal that is held. */
export interface EndWithdrawal {
  readonly type: 'END_WITHDRAWAL'
  readonly id: string
  readonly participant: string
  /** Null: any account. */
  readonly accountId: number | null
  readonly how: 'COMMIT' | 'ABORT' | 'EXPIRE'
}

/** The position that a participant begins with; not 0. */
export interface Opening {
  readonly type: 'OPENING'
  readonly id: string
  readonly participant: string
  readonly currency: string
  /** May be negative. */
  readonly position: bigint
}

export type Command = Reserve | Post | Void | Deposit | Withdraw | EndWithdrawal | Opening
