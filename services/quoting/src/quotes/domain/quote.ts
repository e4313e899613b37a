/**
 * The state of one quote. RECEIVED is a message on the event bus that is not stored. A quote is
 * stored as PENDING or REJECTED, and ends once. The data for repeated answers exists exactly in
 * final states.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import type { QuoteReason } from '@causeway/protos'
/** Written when the id is claimed, never changed. */
export interface Claimed {
  readonly quoteId: string
  readonly payerFsp: string
  readonly currency: string
  /** ISO 8601 UTC: an answer at this time or later is ignored. */
  readonly expiresAt: string
  /** SHA-256 of the canonical request, base64url. */
  readonly requestHash: string
  readonly payerVersion: string
  /** The event that claimed the id; the same event again is a redelivery. */
  readonly requestEventId: string
}

/** The request has been sent to the payee FSP, or is about to be. */
export interface Pending {
  readonly state: 'PENDING'
  readonly payeeFsp: string
}

/** After `validUntil` the quote counts as EXPIRED when it is used; its row does not change. */
export interface Accepted {
  readonly state: 'ACCEPTED'
  readonly payeeFsp: string
  readonly outcome: EndingMessage
  /** Ten-thousandths, in the currency of the request. */
  readonly transferAmount: bigint
  /** ISO 8601 UTC. */
  readonly validUntil: string
}

export interface Rejected {
  readonly state: 'REJECTED'
  /** undefined: it was refused before the payee FSP was determined. */
  readonly payeeFsp: string | undefined
  readonly reason: RejectReason
  readonly error: ErrorInformation
  /** The scheme rule that was broken. */
  readonly ruleId: string | undefined
  /** undefined if no message of the payee FSP ended it. */
  readonly outcome: EndingMessage | undefined
}

/** No answer arrived in time; there is no callback. */
export interface Expired {
  readonly state: 'EXPIRED'
  readonly payeeFsp: string
}

/** The payee FSP's message that ended the quote. */
export interface EndingMessage {
  readonly eventId: string
  /** SHA-256 of the canonical message, base64url. */
  readonly hash: string
}

export type EndedQuote = Accepted | Rejected
export type Final = EndedQuote | Expired
export type Quote = Claimed & (Pending | Final)

/** Not of an item of a bulk quote. */
export type RejectReason = Exclude<QuoteReason, 'ITEMS' | 'UNANSWERED'>

/** Why a request is refused before the payee FSP sees it. */
export type RequestReason = Exclude<RejectReason, 'RULE' | 'REFUSED' | 'UNDELIVERED'>
