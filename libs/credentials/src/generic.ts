/**
 * GENERIC credentials: a plain key pair of the user. The specification does not define which bytes
 * of a challenge are signed, so each interpretation that clients use is tried. All are fixed
 * functions of the same challenge, and each needs the private key. (Third-Party API v1.0,
 * GenericCredential)
 */
import { challengeReadings } from '@causeway/fspiop'
import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import {
  invalid,
  type CredentialCheck,
  type GenericVerifier,
  type SignatureCheck,
} from './verifier.ts'

const text_max = 16_384
const base64Text = z
  .string()
  .max(text_max)
  .regex(/^[\w+/-]+={0,2}$/)

const payload = z.looseObject({ publicKey: base64Text, signature: base64Text })

const rsa_bits_min = 2_048
const rsa_bits_max = 8_192
const curves: ReadonlySet<string> = new Set(['prime256v1', 'secp256k1'])

/**
 * Checks GenericCredential: the signature proves that the user has the private key.
 * @param challenge the 32 bytes of `consentChallenge`
 */
export function checkGenericRegistration(credential: unknown, challenge: Buffer): CredentialCheck {
  const { data } = payload.safeParse(credential)
  if (data === undefined) return invalid('malformed')
  const key = readKey(Buffer.from(data.publicKey, 'base64'))
  if (typeof key === 'string') return invalid(key)
  const readings = [
    Buffer.from(challenge.toString('base64url')),
    Buffer.from(challenge.toString('base64')),
    Buffer.from(challenge.toString('hex')),
    challenge,
  ]
  if (!isSignedBy(key, readings, Buffer.from(data.signature, 'base64'))) {
    return invalid('the signature does not verify')
  }
  const publicKey = key.export({ type: 'spki', format: 'der' }).toString('base64url')
  return { type: 'VALID', verifier: { type: 'GENERIC', publicKey }, ceremony: undefined }
}

/**
 * Checks a signature over a payment's challenge.
 * @param challenge the text that the DFSP gave the PISP
 */
export function checkGenericSignature(
  signature: unknown,
  challenge: string,
  verifier: GenericVerifier,
): SignatureCheck {
  const { data } = base64Text.safeParse(signature)
  if (data === undefined) return invalid('malformed')
  const key = readKey(Buffer.from(verifier.publicKey, 'base64url'))
  if (typeof key === 'string') return invalid(key)
  return isSignedBy(key, challengeReadings(challenge), Buffer.from(data, 'base64'))
    ? { type: 'VALID', ceremony: undefined }
    : invalid('the signature does not verify')
}

/** An acceptable key, from DER or PEM text, or the fault in it. */
function readKey(bytes: Buffer): KeyObject | string {
  const key = parseKey(bytes)
  if (key === undefined) return 'the public key cannot be read'
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  switch (type) {
    case 'rsa': {
      const bits = details?.modulusLength ?? 0
      const isRight = bits >= rsa_bits_min && bits <= rsa_bits_max
      return isRight ? key : `an RSA key of ${bits} bits`
    }
    case 'ec':
      return curves.has(details?.namedCurve ?? '') ? key : 'a key on another curve'
    case 'ed25519':
      return key
    default:
      return 'a key of another algorithm'
  }
}

function parseKey(bytes: Buffer): KeyObject | undefined {
  try {
    return bytes.includes('-----BEGIN PUBLIC KEY-----')
      ? createPublicKey(bytes)
      : createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/**
 * Whether one of the interpretations was signed, hashed once or, if the signer received the hash,
 * twice.
 */
function isSignedBy(key: KeyObject, readings: readonly Buffer[], signature: Buffer): boolean {
  return readings
    .flatMap((reading) => [reading, hash('sha256', reading, 'buffer')])
    .some((reading) => verifies(key, reading, signature))
}

const raw_ecdsa_length = 64

function verifies(key: KeyObject, text: Buffer, signature: Buffer): boolean {
  switch (key.asymmetricKeyType) {
    // Ed25519 hashes by itself: it signs the SHA-256 of the text as a message of 32 bytes.
    case 'ed25519':
      return verify(null, hash('sha256', text, 'buffer'), key, signature)
    case 'ec':
      return (
        verify('sha256', text, { key, dsaEncoding: 'der' }, signature) ||
        (signature.length === raw_ecdsa_length &&
          verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature))
      )
    default:
      return verify('sha256', text, key, signature)
  }
}
