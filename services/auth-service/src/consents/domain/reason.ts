/** The closed sets of reasons for which something is refused; `errors.ts` has a code for each. */

export type RegistrationReason =
  | 'MALFORMED'
  /** The status of the consent or of its credential is none to register with. */
  | 'STATUS_WRONG'
  | 'CREDENTIAL_INVALID'
  | 'OWNERSHIP_REFUSED'
  | 'OWNERSHIP_UNCONFIRMED'

export type ConsentReason =
  | RegistrationReason
  /** The id stands for a consent with other content, or of another DFSP. */
  | 'ID_USED'
  | 'NOT_PARTY'
  | 'CONSENT_UNKNOWN'
  | 'CONSENT_PENDING'
  | 'CONSENT_REVOKED'
