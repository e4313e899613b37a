/**
 * A DFSP's decisions about a payment that a PISP requests: whether it is acceptable, and what the
 * PISP receives for each outcome. Details of quotes, transfers and checks stay with the DFSP.
 * Third-Party API 1.0, transfer.
 */
import { type ErrorCode, type ErrorInformation, errorInformation } from '@causeway/fspiop'
import type { Amount } from '../../amount.ts'
import type { NamedParty, PartyId } from '../../parties/party.ts'
import type { PaymentEnd } from '../../payments/payment.ts'
import type { LinkChoice, VerifiedLink } from './link.ts'

/** A PISP's request for a payment. */
export interface PaymentRequest {
  readonly transactionRequestId: string
  readonly pispId: string
  readonly payer: PartyId & { readonly fspId?: string }
  readonly payee: NamedParty
  readonly amountType: string
  readonly amount: Amount
  /** No payment is made for it later; of Date.now. */
  readonly until_ms: number
}

/** The account behind an address, at the time of the payment. */
export type PayerAccount =
  | {
      readonly state: 'READY'
      /** The account's holder as disclosed to the payee's FSP. */
      readonly payer: NamedParty
      /** The DFSP's own fees; disclosed when given. */
      readonly fees?: Amount
    }
  | { readonly state: 'UNKNOWN' | 'INACTIVE' | 'WITHOUT_FUNDS' | 'OTHER_CURRENCY' }

export type PaymentDecision =
  | {
      readonly type: 'ACCEPT'
      /** The newest one; the key that signs may belong to another. */
      readonly link: VerifiedLink
      readonly payer: NamedParty
      readonly fees: Amount | undefined
      readonly payeeFsp: string
    }
  | { readonly type: 'REFUSE'; readonly error: ErrorInformation }

/**
 * Reads the account only when the consent is valid: an unauthorized PISP gets no information about
 * it.
 */
export async function judgePayment(
  request: PaymentRequest,
  own: {
    readonly name: string
    readonly now_ms: number
    readonly choice: LinkChoice
    readonly account: () => Promise<PayerAccount>
  },
): Promise<PaymentDecision> {
  const { payer, payee, amountType, until_ms } = request
  if (until_ms <= own.now_ms) return refuse('3301')
  if (payer.type !== 'THIRD_PARTY_LINK') return refuse('6104', 'the payer is not a linked account')
  if (payer.fspId !== undefined && payer.fspId !== own.name) return refuse('6104')
  if (amountType !== 'SEND' && amountType !== 'RECEIVE') return refuse('3100', '/amountType')
  if ('error' in own.choice) return { type: 'REFUSE', error: own.choice.error }
  const { fspId: payeeFsp } = payee
  if (payeeFsp === undefined) return refuse('3102', '/payee/partyIdInfo/fspId')
  const account = await own.account()
  switch (account.state) {
    case 'READY':
      return {
        type: 'ACCEPT',
        link: own.choice.links[0],
        payer: account.payer,
        fees: account.fees,
        payeeFsp,
      }
    case 'OTHER_CURRENCY':
      return refuse('4103')
    case 'UNKNOWN':
    case 'INACTIVE':
    case 'WITHOUT_FUNDS':
      return refuse('6104')
  }
}

function refuse(code: ErrorCode, detail?: string): PaymentDecision {
  return { type: 'REFUSE', error: errorInformation(code, detail) }
}

/** The PISP's user's answer to the terms. */
export type UserAnswer<Signed> =
  | { readonly type: 'SIGNED'; readonly signed: Signed }
  | { readonly type: 'REJECTED' }
  /** The PISP sent an error, could not be reached, or did not answer until the expiration. */
  | { readonly type: 'NONE'; readonly expired: boolean }

/** The result of verifying the signature. */
export type SignatureVerdict =
  | { readonly type: 'VERIFIED' }
  | { readonly type: 'WRONG_SIGNATURE' }
  | { readonly type: 'CONSENT_NOT_VALID' }
  /** The verifier could not decide. */
  | { readonly type: 'NONE' }

/** What an error of the auth service means for the signature. */
export function verdictOf({ errorCode }: ErrorInformation): SignatureVerdict {
  if (errorCode === '6201') return { type: 'WRONG_SIGNATURE' }
  if (errorCode === '6103') return { type: 'CONSENT_NOT_VALID' }
  return { type: 'NONE' }
}

/** How a payment ends for its PISP; each has exactly one final callback. */
export type PispOutcome =
  | { readonly type: 'COMPLETED'; readonly completedTimestamp: string | undefined }
  | { readonly type: 'REJECTED' }
  | { readonly type: 'FAILED'; readonly error: ErrorInformation }

/** The PISP receives no reason for a failed quote or transfer. */
const downstreamFailure: PispOutcome = failed('6003')

export function outcomeOfAnswer(
  answer: Exclude<UserAnswer<unknown>, { type: 'SIGNED' }>,
): PispOutcome {
  if (answer.type === 'REJECTED') return { type: 'REJECTED' }
  return answer.expired ? failed('3301') : failed('6001')
}

export function outcomeOfVerdict({
  type,
}: Exclude<SignatureVerdict, { readonly type: 'VERIFIED' }>): PispOutcome {
  switch (type) {
    case 'WRONG_SIGNATURE':
      return failed('6201')
    case 'CONSENT_NOT_VALID':
      return failed('6103')
    case 'NONE':
      return downstreamFailure
  }
}

/** Undefined: it is not known yet whether the money has moved. */
export function outcomeOfTransfer(end: PaymentEnd): PispOutcome | undefined {
  switch (end.state) {
    case 'COMMITTED':
      return { type: 'COMPLETED', completedTimestamp: end.completedTimestamp }
    case 'UNRESOLVED':
      return undefined
    case 'ABORTED':
    case 'REFUSED':
    case 'DECLINED':
      return downstreamFailure
  }
}

function failed(code: ErrorCode): PispOutcome & { readonly type: 'FAILED' } {
  return { type: 'FAILED', error: errorInformation(code) }
}
