/**
 * The result of a message: rows to store, an entry in the consent's history, and answers to
 * announce.
 */
import type {
  Consent,
  ConsentDocument,
  ConsentParties,
  Requester,
  Usable,
  Verification,
  VerificationReason,
} from './consent.ts'
import type { ConsentReason } from './reason.ts'

export interface Decision {
  readonly type: 'DECISION'
  /** The new state of the consent. */
  readonly consent?: Consent
  /** The credential that this decision withdraws. */
  readonly withdrawn?: Usable
  readonly parties?: ConsentParties
  readonly verification?: Verification
  /** The counter of the credential: the stored and the received value. */
  readonly signCount?: { readonly from: number; readonly to: number }
  readonly step?: ConsentHistoryEntry
  readonly answers: readonly ConsentAnswer[]
}

/** The credential or signature must be examined before this can be decided. */
export interface Unexamined {
  readonly type: 'UNEXAMINED'
}

/** An entry of a consent's history. */
export interface ConsentHistoryEntry {
  readonly type: StepType
  /** The FSP that caused it, or the hub's own service. */
  readonly fspId: string
  /** For the operator; never sent to an FSP. */
  readonly detail: string
}

export const stepTypes = [
  'PARTIES_OBSERVED',
  'PARTIES_CONFLICT',
  'CREDENTIAL_VERIFIED',
  'REGISTRATION_REFUSED',
  'REGISTRATION_REPEATED',
  'OWNERSHIP_CONFIRMED',
  'OWNERSHIP_REFUSED',
  'REVOKED',
  'REVOCATION_REPEATED',
  'REVOCATION_REFUSED',
  'ERASED',
] as const

export type StepType = (typeof stepTypes)[number]

export type ConsentAnswer =
  | {
      readonly type: 'CLAIM'
      /** The event that is answered: one event has at most one answer of a type. */
      readonly causeId: string
      readonly consentId: string
      /** Whether the hub saw the DFSP grant the consent. */
      readonly isGranter: boolean
    }
  | {
      readonly type: 'REGISTERED'
      readonly causeId: string
      readonly consentId: string
      readonly to: Requester
      readonly document: ConsentDocument
    }
  | {
      readonly type: 'REFUSED'
      readonly causeId: string
      readonly consentId: string
      readonly to: Requester
      readonly reason: ConsentReason
    }
  | {
      readonly type: 'REVOKED'
      readonly causeId: string
      readonly consentId: string
      readonly revokedAt: Date
      readonly recipients: readonly Requester[]
    }
  | {
      readonly type: 'VERIFICATION'
      readonly causeId: string
      readonly verificationRequestId: string
      /** Undefined when the verification is unknown. */
      readonly consentId: string | undefined
      readonly to: Requester
      readonly result: 'VERIFIED' | VerificationReason | 'ID_USED' | 'VERIFICATION_UNKNOWN'
    }
  /** For the audit log: the authenticator may have been copied. */
  | {
      readonly type: 'AUDIT'
      readonly causeId: string
      readonly consentId: string
      readonly verificationRequestId: string
      readonly fspId: string
      readonly detail: string
      readonly at: Date
    }

export type VerificationAnswer = Extract<ConsentAnswer, { type: 'VERIFICATION' }>

/** Nothing changes and nothing is announced. */
export const noChange: Decision = { type: 'DECISION', answers: [] }

export function answering(...answers: readonly ConsentAnswer[]): Decision {
  return { type: 'DECISION', answers }
}
