/**
 * Signatures of a text of which only the digest is known; they are the same as those of the text.
 * node:crypto hashes by itself, so that ECDSA is that of @noble/curves.
 */
import { publicDecrypt, timingSafeEqual, type KeyObject } from 'node:crypto'
import { p256, p384 } from '@noble/curves/nist.js'
import type { Curve } from './provider.ts'
import type { SignatureAlgorithm } from './signature.ts'

const ecdsa = { 'P-256': p256, 'P-384': p384 } as const
const ofAlgorithm = {
  ES256: { curve: p256, signature_bytes: 64 },
  ES384: { curve: p384, signature_bytes: 96 },
} as const
/** The digest is complete, and r and s are taken as in a JWS. */
const options = { prehash: false, lowS: false, format: 'compact' } as const

/** The length of the digest that an algorithm signs; undefined for one that needs the text itself. */
export function digestLengthOf(algorithm: SignatureAlgorithm): number | undefined {
  return { ES256: 32, ES384: 48, EdDSA: undefined, RS256: 32, PS256: undefined }[algorithm]
}

/** Throws for a key on Ed25519, which signs no digest. */
export function signDigestWith(key: KeyObject, curve: Curve, digest: Buffer): Buffer {
  if (curve === 'Ed25519') throw new TypeError('a key on Ed25519 signs no digest')
  const { d = '' } = key.export({ format: 'jwk' })
  return Buffer.from(ecdsa[curve].sign(digest, Buffer.from(d, 'base64url'), options))
}

/** @param publicKey one that the algorithm takes @param digest as long as the algorithm's */
export function isDigestSignature(
  algorithm: SignatureAlgorithm,
  publicKey: KeyObject,
  digest: Buffer,
  signature: Buffer,
): boolean {
  if (algorithm === 'ES256' || algorithm === 'ES384') {
    const { curve, signature_bytes } = ofAlgorithm[algorithm]
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
    return (
      signature.length === signature_bytes &&
      curve.verify(signature, digest, Buffer.concat(point), options)
    )
  }
  return algorithm === 'RS256' && isOfRsa(publicKey, digest, signature)
}

/** DigestInfo of SHA-256 up to the digest: RFC 8017 9.2, note 1. */
const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex')

function isOfRsa(key: KeyObject, digest: Buffer, signature: Buffer): boolean {
  const wanted = Buffer.concat([digestInfo, digest])
  const signed = unpadded(key, signature)
  return signed !== undefined && signed.length === wanted.length && timingSafeEqual(signed, wanted)
}

const pkcs1Padding = 1

/** Undefined: the padding of PKCS #1 v1.5 is wrong. */
function unpadded(key: KeyObject, signature: Buffer): Buffer | undefined {
  try {
    return publicDecrypt({ key, padding: pkcs1Padding }, signature)
  } catch {
    return undefined
  }
}
