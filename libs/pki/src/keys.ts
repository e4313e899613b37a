/** Acceptable keys and their signature algorithms. */
import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import { publicKeyFault } from './public-key.ts'

/** The fault in a public key to be certified; undefined: none. */
export function faultOfKey(key: KeyObject): string | undefined {
  return publicKeyFault(key, ['RSA', 'P-256', 'P-384'])
}

interface SignatureAlgorithm {
  readonly oid: string
  readonly type: 'rsa' | 'ec'
  readonly digest: 'sha256' | 'sha384' | 'sha512'
}

/** RFC 8017 appendix C, RFC 5758 3.2. */
const algorithms: readonly SignatureAlgorithm[] = [
  { oid: '1.2.840.113549.1.1.11', type: 'rsa', digest: 'sha256' },
  { oid: '1.2.840.113549.1.1.12', type: 'rsa', digest: 'sha384' },
  { oid: '1.2.840.113549.1.1.13', type: 'rsa', digest: 'sha512' },
  { oid: '1.2.840.10045.4.3.2', type: 'ec', digest: 'sha256' },
  { oid: '1.2.840.10045.4.3.3', type: 'ec', digest: 'sha384' },
  { oid: '1.2.840.10045.4.3.4', type: 'ec', digest: 'sha512' },
]

/** The signature algorithm of a key: with SHA-256, on P-384 with SHA-384. */
export function algorithmOf(key: KeyObject): SignatureAlgorithm {
  const digest = key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'sha384' : 'sha256'
  const found = algorithms.find(
    (algorithm) => algorithm.type === key.asymmetricKeyType && algorithm.digest === digest,
  )
  if (found === undefined) throw new TypeError('a key that is neither RSA nor EC')
  return found
}

/** RSA encodes its absent parameters as NULL, EC omits them. */
export function identifierOf({ oid, type }: SignatureAlgorithm): AlgorithmIdentifier {
  return new AlgorithmIdentifier({
    algorithm: oid,
    ...(type === 'rsa' ? { parameters: null } : {}),
  })
}

export function signWith(key: KeyObject, bytes: Buffer): Buffer {
  return sign(algorithmOf(key).digest, bytes, key)
}

/** False also for an unsupported algorithm, such as any with SHA-1. */
export function isSignedBy(
  key: KeyObject,
  algorithm: AlgorithmIdentifier,
  bytes: Buffer,
  signature: Buffer,
): boolean {
  const known = algorithms.find(({ oid }) => oid === algorithm.algorithm)
  if (known === undefined || known.type !== key.asymmetricKeyType) return false
  return verify(known.digest, bytes, key, signature)
}

/** P-256: as strong as RSA of 3,072 bits, and generated instantly. */
export function newKeyPair(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

export function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
