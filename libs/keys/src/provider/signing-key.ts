/**
 * The private keys that settings name: a PEM file, or a key in the HSM as a PKCS#11 URI (RFC 7512) of
 * the form `pkcs11:object=LABEL`.
 */
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { readPem, StartError } from '@causeway/process'
import type { Mechanism, Template } from 'pkcs11js'
import { attribute, mechanism, object } from './pkcs11/constants.ts'
import { publicKeyOf } from './pkcs11/public-key.ts'
import type { Token } from './pkcs11/token.ts'
import { algorithmOf, digestOf, signWith, type SignatureAlgorithm } from './signature.ts'

export interface SigningKey {
  readonly algorithm: SignatureAlgorithm
  readonly publicKey: KeyObject
  /** Present if the key is in this process and not in an HSM. */
  readonly privateKey: KeyObject | undefined
  /** As in a JWS: of ECDSA r and s, one after the other. In the thread pool. */
  readonly sign: (bytes: Buffer) => Promise<Buffer>
  /** The same without the thread pool, for short texts that are signed rarely. */
  readonly signNow: (bytes: Buffer) => Buffer
}

const uri = /^pkcs11:object=([\w.~%-]{1,128})$/

/** The label in a PKCS#11 URI; undefined for any other text. */
export function labelIn(text: string): string | undefined {
  const encoded = uri.exec(text)?.[1]
  return encoded === undefined ? undefined : decodeURIComponent(encoded)
}

/**
 * @param token Undefined: there is no HSM.
 * @throws {StartError} when there is no such key, or no algorithm takes it.
 */
export async function openSigningKey(
  token: Token | undefined,
  setting: string,
  reference: string,
): Promise<SigningKey> {
  const label = labelIn(reference)
  if (label === undefined) return keyInFile(setting, await readPem(setting, reference))
  if (token === undefined) {
    throw new StartError(`${setting} names a key in an HSM, but CRYPTO_PKCS11_LIBRARY is not set.`)
  }
  return keyInToken(token, setting, label)
}

function keyInFile(setting: string, pem: string): SigningKey {
  const privateKey = privateKeyIn(pem)
  if (privateKey === undefined) throw new StartError(`${setting} holds no private key in PEM.`)
  const publicKey = createPublicKey(privateKey)
  const algorithm = takenBy(setting, publicKey)
  return {
    algorithm,
    publicKey,
    privateKey,
    sign: (bytes) => signWith(algorithm, privateKey, bytes),
    signNow: (bytes) =>
      sign(digestOf(algorithm), bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  }
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

function keyInToken(token: Token, setting: string, label: string): SigningKey {
  const named = (of: number): Template => [
    { type: attribute.CLASS, value: of },
    { type: attribute.LABEL, value: label },
  ]
  const publicKey = token.run((session) => {
    const found = session.find(named(object.PUBLIC_KEY))
    const isWhole = found !== undefined && session.find(named(object.PRIVATE_KEY)) !== undefined
    return isWhole ? publicKeyOf(session, found) : undefined
  })
  if (publicKey === undefined) {
    throw new StartError(`${setting}: the token has no key pair with the label ${label}.`)
  }
  const algorithm = takenBy(setting, publicKey)
  const by = mechanismOf(algorithm)
  const inputOf = (bytes: Buffer) => inputFor(algorithm, bytes)
  return {
    algorithm,
    publicKey,
    privateKey: undefined,
    sign: (bytes) => token.sign(named(object.PRIVATE_KEY), by, inputOf(bytes)),
    signNow: (bytes) =>
      token.run(({ library, handle, find }) => {
        const key = find(named(object.PRIVATE_KEY))
        if (key === undefined) throw new Error(`the token has no private key ${label}`)
        library.C_SignInit(handle, by, key)
        return library.C_Sign(handle, inputOf(bytes), Buffer.alloc(512))
      }),
  }
}

function takenBy(setting: string, publicKey: KeyObject): SignatureAlgorithm {
  const algorithm = algorithmOf(publicKey)
  if (algorithm !== undefined) return algorithm
  throw new StartError(
    `${setting} holds a key that cannot sign: RSA of 2048 bits, P-256 or Ed25519.`,
  )
}

function mechanismOf(algorithm: SignatureAlgorithm): Mechanism {
  if (algorithm === 'EdDSA') return { mechanism: mechanism.EDDSA }
  return {
    mechanism: algorithm === 'RS256' ? mechanism.SHA256_RSA_PKCS : mechanism.ECDSA,
  }
}

/** CKM_ECDSA signs a digest; the other mechanisms the bytes themselves. */
function inputFor(algorithm: SignatureAlgorithm, bytes: Buffer): Buffer {
  if (algorithm !== 'ES256' && algorithm !== 'ES384') return bytes
  return createHash(digestOf(algorithm) ?? 'sha256')
    .update(bytes)
    .digest()
}
