/** A quote as its two FSPs see it. */
import type { ErrorInformation, TransactionType } from '@causeway/fspiop'
import type { Amount } from '../amount.ts'
import type { TimedResult } from '../pending-requests.ts'
import type { Failed } from '../errors.ts'
import type { NamedParty } from '../parties/party.ts'
import type { PayeeTerms } from './terms.ts'

/** A payer FSP's request for a quote. */
export interface QuoteOrder {
  /** A new UUID when left out; the same id again is the same quote. */
  readonly quoteId?: string
  /** The transaction that may follow; a new UUID when left out. */
  readonly transactionId?: string
  /** The transaction request, where the payee has requested the payment. */
  readonly transactionRequestId?: string
  readonly payeeFsp: string
  readonly payee: NamedParty
  readonly payer: NamedParty
  /** SEND: the payer gives exactly this; RECEIVE: the payee gets exactly this. */
  readonly amountType: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** The payer FSP's own fees; disclosed and included when given. */
  readonly fees?: Amount
  readonly transactionType: TransactionType
  readonly note?: string
  /** An answer after this time is not used. */
  readonly expiration: Date
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
}

/** The agreed terms; a transfer must carry exactly these. */
export interface Quote {
  readonly transferAmount: Amount
  readonly payeeReceiveAmount: Amount | undefined
  readonly payeeFspFee: Amount | undefined
  readonly payeeFspCommission: Amount | undefined
  /** A later transfer is refused. */
  readonly expiration: Date
  readonly ilpPacket: string
  readonly condition: string
  /** Extensions of the payee FSP's answer. */
  readonly extensions: ReadonlyMap<string, string>
  /** The body of the payee FSP's answer as received: a PISP's user signs a hash of it. */
  readonly body: object
}

/** FAILED: the payee FSP or the hub has refused it, or the amounts of the answer do not add up. */
export type QuoteResult = {
  readonly quoteId: string
  readonly transactionId: string
} & TimedResult<Agreed | Failed>

export interface Agreed {
  readonly state: 'AGREED'
  readonly quote: Quote
}

/** A request for a quote at the payee FSP. */
export interface IncomingQuote {
  readonly quoteId: string
  readonly transactionId: string
  readonly transactionRequestId: string | undefined
  readonly payerFsp: string
  readonly payer: NamedParty
  readonly payee: NamedParty
  readonly amountType: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** The payer FSP's fees, where it discloses them. */
  readonly fees: Amount | undefined
  readonly transactionType: TransactionType
  readonly note: string | undefined
  readonly expiration: Date | undefined
  readonly extensions: ReadonlyMap<string, string>
}

export type QuoteDecision =
  | ({
      readonly type: 'AGREE'
      /** Until when a transfer is accepted; a minute from now when left out. */
      readonly expiration?: Date
    } & PayeeTerms)
  | { readonly type: 'REJECT'; readonly error: ErrorInformation }
  /** Send no answer. For tests only. */
  | { readonly type: 'IGNORE' }
