/** Signature algorithms by their names in JWS: which keys they take, and how they are made and verified. */
import { sign, verify, type KeyObject } from 'node:crypto'
import { isDigestSignature } from './digest.ts'

export const signatureAlgorithms = ['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'] as const
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

const modulus_min = 2_048
/** Verifying with larger ones takes too long. */
const modulus_max = 4_096

/** What this key signs with: the first algorithm that takes it; undefined for any other key. */
export function algorithmOf(key: KeyObject): SignatureAlgorithm | undefined {
  return signatureAlgorithms.find((algorithm) => takes(algorithm, key))
}

function takes(
  algorithm: SignatureAlgorithm,
  { asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject,
): boolean {
  switch (algorithm) {
    case 'ES256':
      return type === 'ec' && details.namedCurve === 'prime256v1'
    case 'ES384':
      return type === 'ec' && details.namedCurve === 'secp384r1'
    case 'EdDSA':
      return type === 'ed25519'
    case 'RS256':
    case 'PS256': {
      const { modulusLength = 0, publicExponent = 0n } = details
      const isLong = modulusLength >= modulus_min && modulusLength <= modulus_max
      return type === 'rsa' && isLong && publicExponent >= 3n
    }
  }
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

/** Signs in the thread pool. Rejects for a key that no algorithm takes. */
export async function signWith(key: KeyObject, bytes: Buffer): Promise<Buffer> {
  const algorithm = algorithmOf(key)
  if (algorithm === undefined) throw new TypeError('a key that no signature algorithm takes')
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
