/** Signature algorithms by their names in JWS: which keys they take, and how they are made and verified. */
import { sign, verify, type KeyObject } from 'node:crypto'
import { publicKeyFault, type KeyKind } from '@causeway/pki/public-key'
import { isDigestSignature } from './digest.ts'
import type { Curve } from './provider.ts'

export const signatureAlgorithms = ['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'] as const
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

const kinds: Readonly<Record<SignatureAlgorithm, KeyKind>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  EdDSA: 'Ed25519',
  RS256: 'RSA',
  PS256: 'RSA',
}

/** What this public key verifies: the first algorithm that takes it; undefined for any other key. */
export function algorithmOf(publicKey: KeyObject): SignatureAlgorithm | undefined {
  return signatureAlgorithms.find((algorithm) => takes(algorithm, publicKey))
}

function takes(algorithm: SignatureAlgorithm, publicKey: KeyObject): boolean {
  return publicKeyFault(publicKey, [kinds[algorithm]]) === undefined
}

/** RFC 7518 3.1, RFC 8037 3.1. */
const digests: Readonly<Record<SignatureAlgorithm, 'sha256' | 'sha384' | undefined>> = {
  ES256: 'sha256',
  ES384: 'sha384',
  EdDSA: undefined,
  RS256: 'sha256',
  PS256: 'sha256',
}

export function digestOf(algorithm: SignatureAlgorithm): 'sha256' | 'sha384' | undefined {
  return digests[algorithm]
}

/** PKCS #1 v1.5, and PSS with a salt as long as the digest. */
const dsaEncoding = 'ieee-p1363'
const pssPadding = 6
const pssSalt_bytes = 32

function inputOf(algorithm: SignatureAlgorithm, key: KeyObject) {
  return algorithm === 'PS256'
    ? { key, padding: pssPadding, saltLength: pssSalt_bytes }
    : ({ key, dsaEncoding } as const)
}

export const algorithmOfCurve: Readonly<Record<Curve, SignatureAlgorithm>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  Ed25519: 'EdDSA',
}

/** Signs in the thread pool. */
export async function signWith(
  algorithm: SignatureAlgorithm,
  key: KeyObject,
  bytes: Buffer,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(digests[algorithm], bytes, inputOf(algorithm, key), (error, signature) => {
      if (error === null) resolve(signature)
      else reject(error)
    })
  })
}

/** The same of a text with this digest. */
export function isSignatureOfDigest(
  algorithm: SignatureAlgorithm,
  publicKey: KeyObject,
  digest: Buffer,
  signature: Buffer,
): boolean {
  return takes(algorithm, publicKey) && isDigestSignature(algorithm, publicKey, digest, signature)
}

/** False also for a key that is not one of the algorithm. */
export function isSignature(
  algorithm: SignatureAlgorithm,
  publicKey: KeyObject,
  bytes: Buffer,
  signature: Buffer,
): boolean {
  return (
    takes(algorithm, publicKey) &&
    verify(digests[algorithm], bytes, inputOf(algorithm, publicKey), signature)
  )
}
