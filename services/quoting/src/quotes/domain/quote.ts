/**
 * What quoting knows of one quote. Before it is stored it is RECEIVED: a message on the event bus. It
 * is stored as PENDING or REJECTED, and ends once: what a final state needs to be told again is there
 * exactly when the state is final.
 */
export interface ErrorInformation {
  readonly errorCode: string
  readonly errorDescription: string
  readonly extensionList?: ExtensionList | undefined
}

interface ExtensionList {
  readonly extension: readonly { readonly key: string; readonly value: string }[]
}

/** Written when the id is claimed, never changed. */
export interface Claimed {
  readonly quoteId: string
  readonly payerFsp: string
  readonly currency: string
  /** ISO 8601 UTC: an answer that comes at this moment or later does not count. */
  readonly expiresAt: string
  /** SHA-256 of the canonical request, base64url. */
  readonly requestHash: string
  readonly payerVersion: string
  /** The event that claimed the id; the same one again is a redelivery. */
  readonly requestEventId: string
}

/** The payee FSP has been or is about to be asked. */
export interface Pending {
  readonly state: 'PENDING'
  readonly payeeFsp: string
}

/** Past `validUntil` it counts as EXPIRED to whoever would use it; its row does not change for that. */
export interface Accepted {
  readonly state: 'ACCEPTED'
  readonly payeeFsp: string
  readonly outcome: Outcome
  /** Ten-thousandths, in the currency of the request. */
  readonly transferAmount: bigint
  /** ISO 8601 UTC. */
  readonly validUntil: string
}

export interface Rejected {
  readonly state: 'REJECTED'
  /** undefined: it was refused before anybody knew whom to ask. */
  readonly payeeFsp: string | undefined
  readonly reason: RejectReason
  readonly error: ErrorInformation
  /** Of the scheme rule that was broken. */
  readonly ruleId: string | undefined
  /** undefined when no message of the payee FSP ended it. */
  readonly outcome: Outcome | undefined
}

/** Nobody answered in time; nobody is told. */
export interface Expired {
  readonly state: 'EXPIRED'
  readonly payeeFsp: string
}

/** The payee FSP's message that ended the quote. */
export interface Outcome {
  readonly eventId: string
  /** SHA-256 of the canonical message, base64url. */
  readonly hash: string
}

export type Ended = Accepted | Rejected
export type Final = Ended | Expired
export type Quote = Claimed & (Pending | Final)

/** Why a request is refused before the payee FSP sees it. */
export const requestReasons = [
  'PAYER_NAMED_OTHERWISE',
  'PAYER_UNKNOWN',
  'PAYER_INACTIVE',
  'PAYER_NO_ACCOUNT',
  'PAYEE_UNKNOWN',
  'PAYEE_INACTIVE',
  'PAYEE_NO_ACCOUNT',
  'PARTY_UNKNOWN',
  'LOOKUP_AWAY',
  'EXPIRED',
] as const

export type RequestReason = (typeof requestReasons)[number]

/** RULE: the scheme forbids request or answer; REFUSED: the payee FSP said so; UNDELIVERED: it never heard. */
export type RejectReason = RequestReason | 'RULE' | 'REFUSED' | 'UNDELIVERED'

/** The last moment that can be written with a year of four digits: tables and wire know no later one. */
const latest_ms = Date.parse('9999-12-31T23:59:59.999Z')

/** The moment, or the last one that can be written; ISO 8601 UTC. */
export function writable(moment_ms: number): string {
  return new Date(Math.min(moment_ms, latest_ms)).toISOString()
}
