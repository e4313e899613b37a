/** The closed sets of refusal reasons; `errors.ts` has a code for each. */
import type { ConsentSummaryReason } from '@causeway/protos'

export type RegistrationReason = ConsentSummaryReason

export type ConsentReason =
  | RegistrationReason
  /** The id belongs to a consent with other content, or of another DFSP. */
  | 'ID_USED'
  | 'NOT_PARTY'
  | 'CONSENT_UNKNOWN'
  | 'CONSENT_PENDING'
  | 'CONSENT_REVOKED'
