/** A payment that the payee requests, as its two FSPs see it. FSPIOP 6.4, 6.6. */
import type { ErrorInformation, TransactionType } from '@causeway/fspiop'
import type { Amount } from '../amount.ts'
import type { TimedResult } from '../pending-requests.ts'
import type { Failed } from '../errors.ts'
import type { NamedParty, PartyId } from '../parties/party.ts'
import type { PaymentResult } from '../payments/payment.ts'

/** A payee FSP's request to the payer's FSP. */
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
  /** OTP: the payer confirms the payment at the payee's device. */
  readonly authenticationType?: 'OTP'
  /** No payment is made for it later. */
  readonly expiration: Date
  readonly extensions?: readonly { readonly key: string; readonly value: string }[]
}

/** FAILED: the hub or the payer's FSP answered with an error. */
export type RequestResult = { readonly transactionRequestId: string } & TimedResult<RequestEnd>

export type RequestEnd =
  | {
      /**
       * This FSP has accepted the transfer: at once (COMMIT), or when the hub confirmed it
       * (RESERVE).
       */
      readonly state: 'PAID'
      readonly transactionId: string
      readonly transferId: string
    }
  | { readonly state: 'REJECTED' }
  | Failed

/** A request that was received by the payer's FSP. */
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
      /** The payer's FSP continues: quote, confirmation where it is required, transfer. */
      readonly type: 'PAY'
      /** The payer as this FSP knows them. */
      readonly payer: NamedParty
      /** This FSP's own fees; disclosed when given. */
      readonly fees?: Amount
      /** How the payer confirms; required where the request asks for an OTP. */
      readonly otp?: Otp
    }
  /** With an error: it is sent; without: the payer rejects. */
  | { readonly type: 'REJECT'; readonly error?: ErrorInformation }

export interface Otp {
  /** Makes a new password (3 to 10 digits), sends it to the payer, and returns it. */
  make(): string | Promise<string>
  /** How often the payer may try. */
  readonly attempts_max: number
}

/** The outcome of a request at the payer's FSP. */
export interface RequestOutcome {
  readonly transactionRequestId: string
  readonly result: PaymentResult
}

/** The payer is asked to confirm the payment at the payee's device. */
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
  /** The payer asks for a new password. */
  | { readonly type: 'RESEND' }
