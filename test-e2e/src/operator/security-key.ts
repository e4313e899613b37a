/** A security key of an operator in software, and what it sends to the operator port. */
import type { Authenticator } from '@causeway/fsp'

/** An origin of the relying party that a hub has by default. */
const origin = 'http://localhost'

export interface Challenge {
  readonly challenge: string
}

/** A log-in, or an authorization, that a key ends. */
export interface KeyChallenge {
  readonly transactionId: string
  readonly fido: Challenge
}

/** The body that registers the key. */
export function registrationBy(key: Authenticator, { challenge }: Challenge, name: string) {
  return { name, attestation: key.register({ challenge: bytesOf(challenge), origin }) }
}

/** The body of /app-fido-authorize. */
export function signatureBy(key: Authenticator, { transactionId, fido }: KeyChallenge) {
  const assertion = key.assert({ challenge: bytesOf(fido.challenge), origin })
  return { transactionId, assertion }
}

function bytesOf(challenge: string): Buffer {
  return Buffer.from(challenge, 'base64url')
}
