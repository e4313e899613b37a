/**
 * GENERIC credentials: a plain key pair of the user. The specification does not define which bytes
 * of a challenge are signed, so each interpretation that clients use is tried. All are fixed
 * functions of the same challenge, and each needs the private key. (Third-Party API v1.0,
 * GenericCredential)
 */
import { challengeReadings } from '@causeway/fspiop'
import { publicKeyFault } from '@causeway/pki/public-key'
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
  if (signedBy(key, readings, Buffer.from(data.signature, 'base64')) === undefined) {
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
  const signed = signedBy(key, challengeReadings(challenge), Buffer.from(data, 'base64'))
  return signed === undefined
    ? invalid('the signature does not verify')
    : { type: 'VALID', ceremony: undefined, signedHash: hash('sha256', signed, 'base64url') }
}

/** An acceptable key, from DER or PEM text, or the fault in it. */
function readKey(bytes: Buffer): KeyObject | string {
  const key = parseKey(bytes)
  if (key === undefined) return 'the public key cannot be read'
  const fault = publicKeyFault(key, ['RSA', 'P-256', 'secp256k1', 'Ed25519'])
  return fault === undefined ? key : `the key is ${fault}`
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
 * Which of the interpretations was signed, hashed once or, if the signer received the hash, twice;
 * undefined: none.
 */
function signedBy(
  key: KeyObject,
  readings: readonly Buffer[],
  signature: Buffer,
): Buffer | undefined {
  return readings
    .flatMap((reading) => [reading, hash('sha256', reading, 'buffer')])
    .find((reading) => verifies(key, reading, signature))
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
