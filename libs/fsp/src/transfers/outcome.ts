/** What becomes of a transfer, as its two FSPs learn it. */
import type { ErrorInformation, Transaction } from '@causeway/fspiop'
import type { Ended } from '../asking.ts'
import type { Amount } from '../amount.ts'
import type { Extensions } from '../message.ts'

/** What a payer FSP asks for; the packet and the condition are what the payee FSP has agreed to. */
export interface TransferOrder {
  /** A new UUID when left out; the same id again is the same transfer. */
  readonly transferId?: string
  readonly payeeFsp: string
  readonly amount: Amount
  readonly ilpPacket: string
  readonly condition: string
  readonly expiration: Date
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
}

/**
 * REFUSED: the hub did not take the message and nothing was reserved. UNRESOLVED: no answer that
 * decides it came in time; either may be true, and asking again is due.
 */
export type TransferResult = { readonly transferId: string } & Ended<
  | {
      /** The money has moved; the fulfilment proves it. */
      readonly state: 'COMMITTED'
      readonly fulfilment: string
      readonly completedTimestamp: string | undefined
      /** Of the answer. */
      readonly extensions: ReadonlyMap<string, string>
    }
  | {
      /** Nothing has moved and nothing is reserved any more. */
      readonly state: 'ABORTED'
      readonly error: ErrorInformation
    }
>

/** A transfer that has come to the payee FSP and is as this FSP has agreed to it. */
export interface IncomingTransfer {
  readonly transferId: string
  readonly payerFsp: string
  readonly amount: Amount
  readonly ilpPacket: string
  readonly expiration: Date
  readonly extensions: ReadonlyMap<string, string>
  /** What was agreed in the quote; undefined when the packet says nothing that can be read. */
  readonly transaction: Transaction | undefined
}

export type PayeeDecision =
  /** Take the money: what is due to the customer may be given at once. */
  | { readonly type: 'COMMIT'; readonly extensions?: Extensions }
  /** Take the money, but wait for the hub's word before the customer gets anything. */
  | { readonly type: 'RESERVE'; readonly extensions?: Extensions }
  | { readonly type: 'REJECT'; readonly error: ErrorInformation }
  /** Say nothing; the hub aborts at the expiration. No honest FSP wants this, but a test does. */
  | { readonly type: 'IGNORE' }

/** What the payee FSP learns after its own answer. Each transfer has at most one outcome. */
export interface PayeeOutcome {
  readonly transferId: string
  readonly state: 'COMMITTED' | 'ABORTED' | 'UNRESOLVED'
  readonly error: ErrorInformation | undefined
}
