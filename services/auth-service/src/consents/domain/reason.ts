/** The closed sets of refusal reasons; `errors.ts` has a code for each. */

export type RegistrationReason =
  | 'MALFORMED'
  /** The status of the consent or its credential is not valid for a registration. */
  | 'STATUS_WRONG'
  | 'CREDENTIAL_INVALID'
  | 'OWNERSHIP_REFUSED'
  | 'OWNERSHIP_UNCONFIRMED'

export type ConsentReason =
  | RegistrationReason
  /** The id belongs to a consent with other content, or of another DFSP. */
  | 'ID_USED'
  | 'NOT_PARTY'
  | 'CONSENT_UNKNOWN'
  | 'CONSENT_PENDING'
  | 'CONSENT_REVOKED'
