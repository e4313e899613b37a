/** A quote as its two FSPs see it. */
import type { ErrorInformation, TransactionType } from '@causeway/fspiop'
import type { Amount } from '../amount.ts'
import type { Ended } from '../asking.ts'
import type { Failed } from '../errors.ts'
import type { NamedParty } from '../parties/party.ts'
import type { PayeeTerms } from './terms.ts'

/** What a payer FSP asks about. */
export interface QuoteOrder {
  /** A new UUID when left out; the same id again is the same quote. */
  readonly quoteId?: string
  /** Of the payment that may follow; a new UUID when left out. */
  readonly transactionId?: string
  /** Where the payee has asked for the payment. */
  readonly transactionRequestId?: string
  readonly payeeFsp: string
  readonly payee: NamedParty
  readonly payer: NamedParty
  /** SEND: the payer gives exactly this; RECEIVE: the payee gets exactly this. */
  readonly amountType: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** The payer FSP's own; given, they are disclosed and reckoned with. */
  readonly fees?: Amount
  readonly transactionType: TransactionType
  readonly note?: string
  /** An answer after it is of no use. */
  readonly expiration: Date
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
}

/** What the two FSPs have agreed on; a transfer must carry exactly this. */
export interface Quote {
  readonly transferAmount: Amount
  readonly payeeReceiveAmount: Amount | undefined
  readonly payeeFspFee: Amount | undefined
  readonly payeeFspCommission: Amount | undefined
  /** A transfer that comes later is refused. */
  readonly expiration: Date
  readonly ilpPacket: string
  readonly condition: string
  /** Of the payee FSP's answer. */
  readonly extensions: ReadonlyMap<string, string>
  /** The answer of the payee FSP as it is written: what a third party's user signs is a hash over it. */
  readonly body: object
}

/** FAILED: the payee FSP or the hub has refused it, or its answer does not add up. */
export type QuoteResult = { readonly quoteId: string; readonly transactionId: string } & Ended<
  Agreed | Failed
>

export interface Agreed {
  readonly state: 'AGREED'
  readonly quote: Quote
}

/** A request for a quote that has come to the payee FSP. */
export interface IncomingQuote {
  readonly quoteId: string
  readonly transactionId: string
  readonly transactionRequestId: string | undefined
  readonly payerFsp: string
  readonly payer: NamedParty
  readonly payee: NamedParty
  readonly amountType: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** The payer FSP's, where it discloses them. */
  readonly fees: Amount | undefined
  readonly transactionType: TransactionType
  readonly note: string | undefined
  readonly expiration: Date | undefined
  readonly extensions: ReadonlyMap<string, string>
}

export type QuoteDecision =
  | ({
      readonly type: 'AGREE'
      /** Until when a transfer may come; a minute from now when left out. */
      readonly expiration?: Date
    } & PayeeTerms)
  | { readonly type: 'REJECT'; readonly error: ErrorInformation }
  /** Say nothing. No honest FSP wants this, but a test does. */
  | { readonly type: 'IGNORE' }
