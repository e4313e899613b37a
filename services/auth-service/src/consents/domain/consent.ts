/**
 * The state of a consent. A consent has a credential exactly while it is PENDING or ISSUED, so
 * nothing can be verified with a refused or revoked credential.
 */
import type { Verifier } from '@causeway/credentials'
import type { RegistrationReason } from './reason.ts'

/** Parts of POST /consents as received; the hub returns them and bases no decision on them. */
export interface ConsentDocument {
  readonly scopes: readonly unknown[]
  readonly credential: Readonly<Record<string, unknown>>
}

export interface Usable {
  readonly verifier: Verifier
  readonly document: ConsentDocument
}

/** The registration that created the current state. */
export interface Registered {
  readonly consentId: string
  readonly dfspId: string
  /** The version of the DFSP's message, for its callbacks. */
  readonly version: string
  readonly requestEventId: string
  /** SHA-256 of the canonical body, base64url. */
  readonly requestHash: string
  readonly consentRequestId: string | undefined
  readonly registeredAt: Date
}

/** The credential is valid, and account-lookup has not confirmed yet that the consent is owned here. */
export interface Pending extends Registered, Usable {
  readonly state: 'PENDING'
}

export interface Issued extends Registered, Usable {
  readonly state: 'ISSUED'
  readonly issuedAt: Date
}

export interface Revoked extends Registered {
  readonly state: 'REVOKED'
  /** Undefined when it was revoked before it was issued. */
  readonly issuedAt: Date | undefined
  readonly revokedAt: Date
  readonly revokedBy: string
}

/** The registration failed; the same consent may be registered again. */
export interface RefusedConsent extends Registered {
  readonly state: 'REFUSED'
  readonly reason: RegistrationReason
}

export type Consent = Pending | Issued | Revoked | RefusedConsent

/** The DFSP and PISP of a consent, as observed when the hub relayed their messages. */
export interface ConsentParties {
  readonly consentId: string
  readonly dfspId: string
  readonly pispId: string
  readonly consentRequestId: string | undefined
}

/** The sender of a message, and the version of its answer. */
export interface Requester {
  readonly fspId: string
  readonly version: string
}

/** A stored verification, which is never decided again. */
export interface Verification {
  readonly verificationRequestId: string
  readonly consentId: string
  readonly dfspId: string
  readonly requestEventId: string
  readonly requestHash: string
  readonly result: VerificationResult
  readonly decidedAt: Date
}

export type VerificationResult =
  /** SHA-256 of the challenge that was signed, base64url. */
  | { readonly type: 'VERIFIED'; readonly signedHash: string }
  | { readonly type: 'FAILED'; readonly reason: VerificationReason; readonly detail: string }

export type VerificationReason =
  | 'CONSENT_UNKNOWN'
  | 'CONSENT_PENDING'
  | 'CONSENT_REVOKED'
  | 'NOT_PARTY'
  | 'SIGNATURE_INVALID'

/** Whether an FSP may see the consent and act on it. */
export function isParty(
  { dfspId }: Registered,
  parties: ConsentParties | undefined,
  fspId: string,
): boolean {
  return fspId === dfspId || fspId === parties?.pispId
}

export function isUsable(consent: Consent | undefined): consent is Pending | Issued {
  return consent?.state === 'PENDING' || consent?.state === 'ISSUED'
}
