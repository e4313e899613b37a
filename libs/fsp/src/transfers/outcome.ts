/** A transfer and its outcome, as its two FSPs see them. */
import type { ErrorInformation, Transaction } from '@causeway/fspiop'
import type { TimedResult } from '../pending-requests.ts'
import type { Amount } from '../amount.ts'
import type { Extensions } from '../message.ts'

/** A payer FSP's order; packet and condition are those of the payee FSP's quote. */
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
 * REFUSED: the hub did not accept the message and nothing was reserved. UNRESOLVED: no final answer
 * arrived in time; the transfer may be committed or not, and the payer must ask again.
 */
export type TransferResult = { readonly transferId: string } & TimedResult<
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

/** A transfer that was received by the payee FSP and matches its quote. */
export interface IncomingTransfer {
  readonly transferId: string
  readonly payerFsp: string
  readonly amount: Amount
  readonly ilpPacket: string
  readonly expiration: Date
  readonly extensions: ReadonlyMap<string, string>
  /** The transaction of the quote; undefined when the packet holds no readable one. */
  readonly transaction: Transaction | undefined
}

export type PayeeDecision =
  /** Accept: the customer may be credited at once. */
  | { readonly type: 'COMMIT'; readonly extensions?: Extensions }
  /** Accept, but wait for the hub's confirmation before the customer is credited. */
  | { readonly type: 'RESERVE'; readonly extensions?: Extensions }
  | { readonly type: 'REJECT'; readonly error: ErrorInformation }
  /** Send no answer; the hub aborts at the expiration. For tests only. */
  | { readonly type: 'IGNORE' }

/** What the payee FSP receives after its own answer. Each transfer has at most one outcome. */
export interface PayeeOutcome {
  readonly transferId: string
  readonly state: 'COMMITTED' | 'ABORTED' | 'UNRESOLVED'
  readonly error: ErrorInformation | undefined
}
