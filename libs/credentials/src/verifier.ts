/** Stored form of a user's credential, and results of checks, as plain values. */

/** The data that checks signatures of the user. Bytes are base64url. */
export type Verifier = FidoVerifier | GenericVerifier

export interface FidoVerifier {
  readonly type: 'FIDO'
  readonly credentialId: string
  /** COSE_Key (RFC 9052). */
  readonly publicKey: string
  /** SHA-256 of the relying party's id. */
  readonly rpIdHash: string
  /** '' if only its hash is known, as for a native app. */
  readonly rpId: string
  readonly origin: string
  /** The counter of the last signature; 0: the authenticator does not count. */
  readonly signCount: number
}

export interface GenericVerifier {
  readonly type: 'GENERIC'
  /** DER of SubjectPublicKeyInfo. */
  readonly publicKey: string
}

/**
 * Origin and circumstances of the user's action, as reported by the authenticator and its client.
 */
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
  /** For operators; not to be sent to the sender. */
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
      /** SHA-256 of the challenge as it was signed, base64url: the same for every text of it. */
      readonly signedHash: string
    }

const detail_max = 200

export function invalid(detail: string): Invalid {
  return { type: 'INVALID', detail: detail.slice(0, detail_max) }
}
