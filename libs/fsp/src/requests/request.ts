/** A payment that the payee has asked for, as its two FSPs see it. FSPIOP 6.4, 6.6. */
import type { ErrorInformation, TransactionType } from '@causeway/fspiop'
import type { Amount } from '../amount.ts'
import type { Ended } from '../asking.ts'
import type { Failed } from '../errors.ts'
import type { NamedParty, PartyId } from '../parties/party.ts'
import type { PaymentResult } from '../payments/payment.ts'

/** What a payee FSP asks the payer's FSP for. */
export interface RequestOrder {
  /** A new UUID when left out. */
  readonly transactionRequestId?: string
  readonly payer: PartyId & { readonly fspId: string }
  readonly payee: NamedParty
  /** What the payee is to get. */
  readonly amount: Amount
  /** PAYMENT, by a BUSINESS, when left out. */
  readonly transactionType?: TransactionType
  readonly note?: string
  /** OTP: the payer proves at the payee's device that the payment is theirs. */
  readonly authenticationType?: 'OTP'
  /** Nothing is paid for it later. */
  readonly expiration: Date
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
}

/** FAILED: the hub or the payer's FSP answered with an error. */
export type RequestResult = { readonly transactionRequestId: string } & Ended<RequestEnd>

export type RequestEnd =
  | {
      /** This FSP has taken the transfer: at once (COMMIT), or when the hub confirmed it (RESERVE). */
      readonly state: 'PAID'
      readonly transactionId: string
      readonly transferId: string
    }
  | { readonly state: 'REJECTED' }
  | Failed

/** A request that has come to the payer's FSP. */
export interface IncomingRequest {
  readonly transactionRequestId: string
  readonly payeeFsp: string
  readonly payee: NamedParty
  readonly payer: PartyId
  readonly amount: Amount
  readonly transactionType: TransactionType
  readonly note: string | undefined
  readonly authenticationType: string | undefined
  readonly expiration: Date | undefined
  readonly extensions: ReadonlyMap<string, string>
}

export type RequestDecision =
  | {
      /** The payer's FSP goes on: quote, proof where one is asked for, transfer. */
      readonly type: 'PAY'
      /** The payer as this FSP knows them. */
      readonly payer: NamedParty
      /** This FSP's own fees; given, they are disclosed. */
      readonly fees?: Amount
      /** How the payer proves it; needed where the request asks for an OTP. */
      readonly otp?: Otp
    }
  /** With an error, that is told; without, that the payer does not want to. */
  | { readonly type: 'REJECT'; readonly error?: ErrorInformation }

export interface Otp {
  /** Makes a new one (3 to 10 digits), sends it to the payer, and tells it. */
  make(): string | Promise<string>
  /** How often the payer may try. */
  readonly attempts_max: number
}

/** What became of a request at the payer's FSP. */
export interface RequestOutcome {
  readonly transactionRequestId: string
  readonly result: PaymentResult
}

/** The payer is to prove at the payee's device that the payment is theirs. */
export interface IncomingAuthorization {
  readonly transactionRequestId: string
  readonly authenticationType: string
  /** What the payer will pay, fees included. */
  readonly amount: Amount
  /** 1: the last attempt. */
  readonly retriesLeft: number
}

export type AuthorizationDecision =
  | { readonly type: 'ENTERED'; readonly value: string }
  | { readonly type: 'REJECTED' }
  /** The payer wants a new one. */
  | { readonly type: 'RESEND' }
