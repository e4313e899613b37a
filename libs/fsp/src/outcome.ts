/** What becomes of a transfer, as its two FSPs learn it. */
import type { ErrorInformation } from '@causeway/fspiop'

/** What a payer FSP asks for; the packet and the condition are what the payee FSP has agreed to. */
export interface TransferOrder {
  /** A new UUID when left out; the same id again is the same transfer. */
  readonly transferId?: string
  readonly payeeFsp: string
  readonly amount: { readonly currency: string; readonly amount: string }
  readonly ilpPacket: string
  readonly condition: string
  readonly expiration: Date
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
}

/** `ms`: from the call to the outcome. */
export type TransferResult = { readonly transferId: string; readonly ms: number } & (
  | {
      /** The money has moved; the fulfilment proves it. */
      readonly state: 'COMMITTED'
      readonly fulfilment: string
      readonly completedTimestamp: string | undefined
    }
  | {
      /** Nothing has moved and nothing is reserved any more. */
      readonly state: 'ABORTED'
      readonly error: ErrorInformation
    }
  | {
      /** The hub did not take the message; nothing was reserved. */
      readonly state: 'REFUSED'
      readonly status: number
      readonly error: ErrorInformation
    }
  | {
      /** No answer that decides it came in time: either may be true, and asking again is due. */
      readonly state: 'UNRESOLVED'
      /** The last thing that was said about it. */
      readonly error: ErrorInformation | undefined
    }
)

/** A transfer that has come to the payee FSP, its form, amount, condition and time found right. */
export interface IncomingTransfer {
  readonly transferId: string
  readonly payerFsp: string
  readonly amount: { readonly currency: string; readonly amount: string }
  readonly ilpPacket: string
  readonly expiration: Date
  readonly extensions: ReadonlyMap<string, string>
}

export type PayeeDecision =
  /** Take the money: what is due to the customer may be given at once. */
  | { readonly type: 'COMMIT' }
  /** Take the money, but wait for the hub's word before the customer gets anything. */
  | { readonly type: 'RESERVE' }
  | { readonly type: 'REJECT'; readonly error: ErrorInformation }
  /** Say nothing; the hub aborts at the expiration. No honest FSP wants this, but a test does. */
  | { readonly type: 'IGNORE' }

/** What the payee FSP learns after its own answer. Each transfer has at most one outcome. */
export interface PayeeOutcome {
  readonly transferId: string
  readonly state: 'COMMITTED' | 'ABORTED' | 'UNRESOLVED'
  readonly error: ErrorInformation | undefined
}
