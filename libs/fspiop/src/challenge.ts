/**
 * The challenge that a user's key signs in the Third-Party API. DFSP, PISP and auth service each compute
 * it, so it is a function of the message only: SHA-256 over its canonical JSON (RFC 8785).
 */
import { hash } from 'node:crypto'
import { canonicalJson } from './bodies/canonical-json.ts'

export interface ConsentToSign {
  readonly consentId: string
  /** As received: the order of scopes and actions and every member of a scope are significant. */
  readonly scopes: readonly unknown[]
}

/**
 * The challenge for the credential of a consent: 32 bytes.
 *
 * It covers exactly `consentId` and `scopes` of the DFSP's POST /consents. The DFSP generates the
 * consentId, so that a PISP cannot have it signed in advance. (Third-Party API v1.0, POST /consents)
 */
export function consentChallenge({ consentId, scopes }: ConsentToSign): Buffer {
  return digest({ consentId, scopes })
}

/**
 * The challenge for a payment: 32 bytes over the body of the payee FSP's PUT /quotes/{ID}.
 * (Third-Party API v1.0, POST /thirdpartyRequests/authorizations)
 */
export function transactionChallenge(quote: object): Buffer {
  return digest(quote)
}

/**
 * The values, base64url, that `challenge` in the WebAuthn client data can have when a credential is
 * created. The specification does not say whether a PISP passes the 32 bytes of the digest to the
 * authenticator or the 64 characters of their lower-case hexadecimal text.
 */
export function consentClientChallenges(challenge: Buffer): readonly string[] {
  return [base64url(challenge), base64url(Buffer.from(challenge.toString('hex')))]
}

/**
 * The same for a payment. The DFSP sends the PISP a text, which is passed to the authenticator
 * unchanged, or decoded from base64, base64url or hexadecimal.
 */
export function transactionClientChallenges(challenge: string): readonly string[] {
  return challengeReadings(challenge).map(base64url)
}

/** The possible bytes of a payment's challenge, given as text. */
export function challengeReadings(challenge: string): readonly Buffer[] {
  const readings = [Buffer.from(challenge)]
  if (base64Pattern.test(challenge)) readings.push(Buffer.from(challenge, 'base64'))
  if (digestHexPattern.test(challenge)) readings.push(Buffer.from(challenge, 'hex'))
  return readings
}

const base64Pattern = /^(?:[\w+/-]{4})*(?:[\w+/-]{2,4})={0,2}$/
const digestHexPattern = /^[\da-f]{64}$/i

function digest(json: object): Buffer {
  return hash('sha256', canonicalJson(json), 'buffer')
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url')
}
