/** A whole payment: what the payer's FSP orders, and its result. */
import type { ErrorInformation, TransactionType } from '@causeway/fspiop'
import type { Amount } from '../amount.ts'
import type { NamedParty, PartyId } from '../parties/party.ts'
import type { Quote } from '../quotes/quote.ts'

export interface PaymentOrder {
  /** The FSP's own customer. */
  readonly payer: NamedParty
  /** Looked up first, unless its FSP is given. */
  readonly to: (PartyId & { readonly fspId?: undefined }) | ServedParty
  /** SEND (when left out): the payer gives exactly this; RECEIVE: the payee gets exactly this. */
  readonly amountType?: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** The payer FSP's own fees; disclosed when given. */
  readonly fees?: Amount
  /** TRANSFER by a CONSUMER when left out. */
  readonly transactionType?: TransactionType
  readonly transactionRequestId?: string
  /** A new UUID when left out. */
  readonly transactionId?: string
  readonly note?: string
  /** The expiration of both quote and transfer. */
  readonly expiration: Date
  /** Extensions of the quote request and of the transfer. */
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
  /** Whether the payer accepts these terms; without it every payment continues. */
  readonly confirm?: (offer: Offer) => boolean | Promise<boolean>
}

export type ServedParty = NamedParty & { readonly fspId: string }

export interface Offer {
  readonly payee: ServedParty
  readonly quote: Quote
}

export type Leg = 'lookup' | 'quote' | 'transfer'

/** Milliseconds, from the call to its end; absent for a leg that was not reached. */
export interface PaymentMs {
  readonly lookup?: number
  readonly quote?: number
  readonly transfer?: number
  readonly total: number
}

export type PaymentResult = {
  readonly transactionId: string
  /** Of the transfer, when one was sent. */
  readonly transferId: string | undefined
  readonly payee: ServedParty | undefined
  readonly quote: Quote | undefined
  readonly ms: PaymentMs
} & PaymentEnd

export type PaymentEnd =
  | {
      /** The money has moved; the fulfilment proves it. */
      readonly state: 'COMMITTED'
      readonly fulfilment: string
      readonly completedTimestamp: string | undefined
      /** Extensions of the payee FSP's answer to the transfer. */
      readonly extensions: ReadonlyMap<string, string>
    }
  /**
   * Nothing has moved and nothing is reserved: the other FSP or the hub refused, or did not answer.
   */
  | { readonly state: 'ABORTED'; readonly leg: Leg; readonly error: ErrorInformation }
  | {
      /** The hub did not accept the message; nothing has moved. */
      readonly state: 'REFUSED'
      readonly leg: Leg
      readonly status: number
      readonly error: ErrorInformation
    }
  /** The payer did not accept the terms; nothing has moved. */
  | { readonly state: 'DECLINED' }
  | {
      /**
       * The outcome of the transfer was not received in time: it may have been committed or not.
       */
      readonly state: 'UNRESOLVED'
      readonly leg: 'transfer'
      readonly error: ErrorInformation | undefined
    }

/** A refund: a transfer of its own that names the original transaction. FSPIOP 7.4 (Refund). */
export function refundOf(originalTransactionId: string, refundReason?: string): TransactionType {
  return {
    scenario: 'REFUND',
    initiator: 'PAYER',
    initiatorType: 'CONSUMER',
    refundInfo: {
      originalTransactionId,
      ...(refundReason === undefined ? {} : { refundReason }),
    },
  }
}
