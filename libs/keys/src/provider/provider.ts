/**
 * What holds secret keys and works with them. There are two providers with one contract: node:crypto,
 * whose keys are stored encrypted, and a token of an HSM, whose keys never leave it.
 */
import type { KeyObject } from 'node:crypto'

export const adapters = ['NODE', 'PKCS11'] as const
export type Adapter = (typeof adapters)[number]

/** What a key may do; each key has one usage. */
export type KeyUsage = 'SIGN' | 'TLS' | 'ENCRYPT' | 'PIN' | 'WRAP'

export const curves = ['P-256', 'P-384', 'Ed25519'] as const
export type Curve = (typeof curves)[number]

export type SecretType = 'AES' | 'TDES'

/** A key that is to be made. */
interface NewKey {
  /** Unique; the provider finds the key by it. At most 64 characters. */
  readonly id: string
  /** For people who look into the HSM. */
  readonly label: string
  readonly usage: KeyUsage
}

export interface NewSecret extends NewKey {
  readonly type: SecretType
}

export interface NewPair extends NewKey {
  readonly curve: Curve
}

interface StoredKey {
  readonly id: string
  /** What the provider needs to use the key again: an encrypted key, or empty for one in an HSM. */
  readonly material: Buffer
}

export interface Secret extends StoredKey {
  readonly type: SecretType
}

export interface PrivateKey extends StoredKey {
  readonly curve: Curve
}

export interface MadePair extends PrivateKey {
  readonly publicKey: KeyObject
}

/** A text encrypted with AES-256-GCM or AES-128-GCM (NIST SP 800-38D). */
export interface Encrypted {
  /** 12 bytes, random. */
  readonly iv: Buffer
  readonly ciphertext: Buffer
  /** 16 bytes. */
  readonly tag: Buffer
}

/**
 * Every method throws for an outage of the HSM, and for a key that the provider does not hold. Texts that
 * are signed or encrypted have at least one byte: libraries of HSMs refuse empty ones. What returns a
 * promise leaves the event loop to others while an HSM works; the other calls are short or rare.
 */
export interface CryptoProvider {
  readonly adapter: Adapter
  random(length_bytes: number): Buffer
  /** @param bits 128, 192 or 256 */
  newAesKey(key: NewKey, bits: number): Secret
  newPair(key: NewPair): MadePair
  /** Takes a key that exists outside; from now on only the provider holds it. */
  importSecret(key: NewSecret, plain: Buffer): Secret
  /** AES key wrap (RFC 3394). Undefined if `wrapped` was not wrapped by this key, or is no key of the type. */
  unwrapSecret(key: NewSecret, wrapped: Buffer, by: Secret): Secret | undefined
  /** ES256, ES384 or Ed25519 by the curve of the key, as in a JWS (RFC 7518 3.4, RFC 8037). */
  sign(key: PrivateKey, bytes: Buffer): Promise<Buffer>
  /** The same of a text with this digest: SHA-256 of P-256, SHA-384 of P-384. */
  signDigest(key: PrivateKey, digest: Buffer): Promise<Buffer>
  /** ECDH: the x coordinate of the shared point (RFC 7748 and SEC 1 3.3.1); of P-256 and P-384. */
  agree(key: PrivateKey, peer: KeyObject): Buffer
  encrypt(key: Secret, plain: Buffer, aad: Buffer): Promise<Encrypted>
  /** Undefined if the text was encrypted with another key or `aad`, or was modified. */
  decrypt(key: Secret, text: Encrypted, aad: Buffer): Promise<Buffer | undefined>
  /** One block: 16 bytes for AES, 8 for TDES. */
  encryptBlock(key: Secret, block: Buffer): Promise<Buffer>
  decryptBlock(key: Secret, block: Buffer): Promise<Buffer>
  /** The check value by which two holders of a key compare it. */
  checkValue(key: Secret): Buffer
  /** PKCS #8, DER, for a process that needs the key itself; undefined: it never leaves the HSM. */
  exportPair(key: PrivateKey): Buffer | undefined
  remove(key: StoredKey): void
}

/** The length of a key of this type in bytes; false for any other. */
export function isKeyLength(type: SecretType, length_bytes: number): boolean {
  return (type === 'AES' ? [16, 24, 32] : [16, 24]).includes(length_bytes)
}

export function blockLengthOf(type: SecretType): 8 | 16 {
  return type === 'AES' ? 16 : 8
}
