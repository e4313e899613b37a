/** Orders of many payments of one customer at once, and their results, at the payer's FSP. */
import type { ErrorInformation, TransactionType } from '@causeway/fspiop'
import type { Amount } from '../amount.ts'
import type { TimedResult } from '../pending-requests.ts'
import type { NamedParty, PartyId } from '../parties/party.ts'
import type { ServedParty } from '../payments/payment.ts'
import type { Quote } from '../quotes/quote.ts'

export interface BulkPayment {
  /** Looked up first, unless its FSP is given. */
  readonly to: (PartyId & { readonly fspId?: undefined }) | ServedParty
  /** SEND (if omitted): the payer gives exactly this; RECEIVE: the payee gets exactly this. */
  readonly amountType?: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  readonly note?: string
  /** Extensions of the item's quote and transfer. */
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
}

export interface BulkOrder {
  /** The FSP's own customer. */
  readonly payer: NamedParty
  readonly payments: readonly BulkPayment[]
  /** TRANSFER by a BUSINESS if omitted. */
  readonly transactionType?: TransactionType
  /** The expiration of quotes and transfers. */
  readonly expiration: Date
  /** Called after each tenth of the lookups, and after each step of a bulk: quoted, sent, ended. */
  readonly onProgress?: (progress: BulkProgress) => void
}

/** The number of payments at each step. */
export interface BulkProgress {
  /** All payments of the order. */
  readonly payments: number
  readonly lookedUp: number
  /** Payments with terms that the payer FSP accepts. */
  readonly quoted: number
  /** Payments in a bulk transfer that was sent. */
  readonly sent: number
  readonly committed: number
  readonly failed: number
  /** Each may be committed or failed. */
  readonly unresolved: number
}

/** The result of one payment of the order. */
export type BulkPaymentResult = {
  readonly transactionId: string
  readonly transferId: string | undefined
  readonly payeeFsp: string | undefined
  /** The payee FSP's terms, if it has quoted the payment. */
  readonly quote: Quote | undefined
} & (
  | {
      readonly state: 'COMMITTED'
      readonly fulfilment: string
      /** Extensions of the item's result. */
      readonly extensions: ReadonlyMap<string, string>
    }
  /** Nothing has moved and nothing is reserved. */
  | {
      readonly state: 'ABORTED'
      readonly leg: 'lookup' | 'quote' | 'transfer'
      readonly error: ErrorInformation
    }
  /** No outcome arrived in time: the transfer may be committed or aborted. */
  | { readonly state: 'UNRESOLVED'; readonly error: ErrorInformation | undefined }
)

/** A bulk transfer of the order: one payee FSP, up to 1,000 payments. */
export interface BulkSummary {
  readonly bulkQuoteId: string
  readonly bulkTransferId: string
  readonly payeeFsp: string
  readonly state: 'COMPLETED' | 'REJECTED' | 'REFUSED' | 'UNRESOLVED'
  readonly committed: number
  readonly failed: number
}

export interface BulkResult {
  /** In the order of the payments. */
  readonly payments: readonly BulkPaymentResult[]
  readonly bulks: readonly BulkSummary[]
  readonly ms: number
}

/** An item of a bulk quote; all items have the same payer FSP and the same payee FSP. */
export interface BulkQuoteItem {
  readonly quoteId: string
  readonly transactionId: string
  readonly payee: PartyId
  readonly amountType: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  readonly note?: string | undefined
  readonly extensions?: BulkPayment['extensions']
}

export interface BulkQuoteOrder {
  readonly bulkQuoteId: string
  readonly payeeFsp: string
  readonly payer: NamedParty
  readonly transactionType: TransactionType
  readonly items: readonly BulkQuoteItem[]
  readonly expiration: Date
}

export type ItemQuote =
  | { readonly state: 'AGREED'; readonly quote: Quote }
  | { readonly state: 'FAILED'; readonly error: ErrorInformation }

/** The items by their ids; the whole is FAILED if the payee FSP or the hub has refused it. */
export type BulkQuoteOutcome =
  | { readonly state: 'ANSWERED'; readonly items: ReadonlyMap<string, ItemQuote> }
  | { readonly state: 'FAILED'; readonly error: ErrorInformation }

export type BulkQuoteResult = TimedResult<BulkQuoteOutcome>

export interface BulkTransferItem {
  readonly transferId: string
  readonly amount: Amount
  readonly ilpPacket: string
  readonly condition: string
  readonly extensions?: BulkPayment['extensions']
}

export interface BulkTransferOrder {
  readonly bulkTransferId: string
  readonly bulkQuoteId: string
  readonly payeeFsp: string
  readonly items: readonly BulkTransferItem[]
  readonly expiration: Date
}

export type ItemEnd =
  | {
      readonly state: 'COMMITTED'
      readonly fulfilment: string
      readonly extensions: ReadonlyMap<string, string>
    }
  | { readonly state: 'ABORTED'; readonly error: ErrorInformation }

/** The items by their ids; the whole is ABORTED if the payee FSP or the hub has refused it. */
export type BulkTransferOutcome =
  | { readonly state: 'COMPLETED' | 'REJECTED'; readonly items: ReadonlyMap<string, ItemEnd> }
  | { readonly state: 'ABORTED'; readonly error: ErrorInformation }

export type BulkTransferResult = TimedResult<BulkTransferOutcome>
