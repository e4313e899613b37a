/**
 * What a user's key signs in the Third-Party API. DFSP, PISP and auth service each make the challenge
 * themselves, so it is a function of the message alone: SHA-256 over its canonical JSON (RFC 8785).
 */
import { hash } from 'node:crypto'
import { canonicalJson } from './hash.ts'

export interface ConsentToSign {
  readonly consentId: string
  /** As received: the order of scopes and actions counts, and so does each member of a scope. */
  readonly scopes: readonly unknown[]
}

/**
 * The challenge for the credential of a consent: 32 bytes.
 *
 * It covers exactly `consentId` and `scopes`, as the DFSP's POST /consents has them. The DFSP makes the
 * consentId, so that a PISP cannot have it signed beforehand. (Third-Party API v1.0, POST /consents)
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
 * The values, base64url, that `challenge` of a WebAuthn client's data may have when a credential is
 * made. The specification does not say which bytes of the digest a PISP gives to the authenticator:
 * the 32 bytes themselves, or the 64 characters of their lower-case hexadecimal text.
 */
export function consentClientChallenges(challenge: Buffer): readonly string[] {
  return [base64url(challenge), base64url(Buffer.from(challenge.toString('hex')))]
}

/**
 * The same for a payment. There the DFSP hands the PISP a text, which is given to the authenticator as
 * it is, or decoded from base64, base64url or hexadecimal.
 */
export function transactionClientChallenges(challenge: string): readonly string[] {
  return challengeReadings(challenge).map(base64url)
}

/** The bytes that the text of a payment's challenge can stand for. */
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
