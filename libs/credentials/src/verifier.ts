/** What is kept of a user's credential, and what a check of cryptography says, as plain values. */

/** What signatures of the user are checked with. Bytes are base64url. */
export type Verifier = FidoVerifier | GenericVerifier

export interface FidoVerifier {
  readonly type: 'FIDO'
  readonly credentialId: string
  /** COSE_Key (RFC 9052). */
  readonly publicKey: string
  /** SHA-256 of the relying party's id. */
  readonly rpIdHash: string
  /** '' when only its hash is known, as of a native app. */
  readonly rpId: string
  readonly origin: string
  /** Of the last signature; 0: the authenticator does not count. */
  readonly signCount: number
}

export interface GenericVerifier {
  readonly type: 'GENERIC'
  /** DER of SubjectPublicKeyInfo. */
  readonly publicKey: string
}

/** Where and how the user acted, as the authenticator and its client say. */
export interface Ceremony {
  readonly origin: string
  readonly isCrossOrigin: boolean
  /** SHA-256 of the relying party's id, base64url. */
  readonly rpIdHash: string
  readonly isUserVerified: boolean
  readonly signCount: number
}

interface Invalid {
  readonly type: 'INVALID'
  /** For an operator; what it says of the credential is not for the sender. */
  readonly detail: string
}

export type CredentialCheck =
  | Invalid
  | {
      readonly type: 'VALID'
      readonly verifier: Verifier
      /** Undefined for GENERIC. What it allows is judged by the policy, not by the check. */
      readonly ceremony: Ceremony | undefined
    }

export type SignatureCheck =
  | Invalid
  | {
      readonly type: 'VALID'
      /** Undefined for GENERIC. */
      readonly ceremony: Ceremony | undefined
    }

const detail_max = 200

export function invalid(detail: string): Invalid {
  return { type: 'INVALID', detail: detail.slice(0, detail_max) }
}
