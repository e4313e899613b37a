/** Acceptable keys and their signature algorithms. */
import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'

const modulus_min = 2048
/** Larger keys slow down handshakes without benefit. */
const modulus_max = 4096
/** With an exponent of 1 anyone could sign. */
const exponent_min = 3n

const curves: ReadonlySet<unknown> = new Set(['prime256v1', 'secp384r1'])

/** The fault in a public key to be certified; undefined: none. */
export function faultOfKey({
  asymmetricKeyType,
  asymmetricKeyDetails = {},
}: KeyObject): string | undefined {
  if (asymmetricKeyType === 'ec') {
    return curves.has(asymmetricKeyDetails.namedCurve) ? undefined : 'neither P-256 nor P-384'
  }
  if (asymmetricKeyType !== 'rsa') return 'neither RSA nor EC'
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails
  if (modulusLength < modulus_min || modulusLength > modulus_max) {
    return `RSA of ${modulusLength} bits: ${modulus_min} to ${modulus_max}`
  }
  return publicExponent < exponent_min ? 'an RSA exponent below 3' : undefined
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
