/** A whole payment as the payer's FSP asks for it and learns of it. */
import type { ErrorInformation, TransactionType } from '@causeway/fspiop'
import type { Amount } from '../amount.ts'
import type { NamedParty, PartyId } from '../parties/party.ts'
import type { Quote } from '../quotes/quote.ts'

export interface PaymentOrder {
  /** The FSP's own customer. */
  readonly payer: NamedParty
  /** Looked up first, unless it is known which FSP serves it. */
  readonly to: (PartyId & { readonly fspId?: undefined }) | ServedParty
  /** SEND (when left out): the payer gives exactly this; RECEIVE: the payee gets exactly this. */
  readonly amountType?: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** The payer FSP's own; given, they are disclosed. */
  readonly fees?: Amount
  /** TRANSFER by a CONSUMER when left out. */
  readonly transactionType?: TransactionType
  readonly transactionRequestId?: string
  /** A new UUID when left out. */
  readonly transactionId?: string
  readonly note?: string
  /** Quote and transfer end with it. */
  readonly expiration: Date
  /** Of the request for the quote and of the transfer. */
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
  /** Whether the payer wants it on these terms; without it every payment goes on. */
  readonly confirm?: (offer: Offer) => boolean | Promise<boolean>
}

export type ServedParty = NamedParty & { readonly fspId: string }

export interface Offer {
  readonly payee: ServedParty
  readonly quote: Quote
}

export type Leg = 'lookup' | 'quote' | 'transfer'

/** Milliseconds, from the call to its end; a leg that was not gone has none. */
export interface PaymentMs {
  readonly lookup?: number
  readonly quote?: number
  readonly transfer?: number
  readonly total: number
}

export type PaymentResult = {
  readonly transactionId: string
  /** Of the transfer, when it came to one. */
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
      /** Of the payee FSP's answer to the transfer. */
      readonly extensions: ReadonlyMap<string, string>
    }
  /** Nothing has moved and nothing is reserved: the other FSP or the hub said no, or said nothing. */
  | { readonly state: 'ABORTED'; readonly leg: Leg; readonly error: ErrorInformation }
  | {
      /** The hub did not take the message; nothing has moved. */
      readonly state: 'REFUSED'
      readonly leg: Leg
      readonly status: number
      readonly error: ErrorInformation
    }
  /** The payer did not want it on these terms; nothing has moved. */
  | { readonly state: 'DECLINED' }
  | {
      /** Nobody said in time how the transfer ended: either may be true. */
      readonly state: 'UNRESOLVED'
      readonly leg: 'transfer'
      readonly error: ErrorInformation | undefined
    }

/** A payment back: a transfer of its own that names what it undoes. FSPIOP 7.4 (Refund). */
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
