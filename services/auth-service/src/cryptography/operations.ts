/** What is done with keys: signatures, encryption, PIN translation. Stateless; nothing is logged. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import {
  algorithmOf,
  digestLengthOf,
  isSignature,
  isSignatureOfDigest,
  type SignatureAlgorithm,
} from '@causeway/keys/provider'
import { publicKeyFault } from '@causeway/pki/public-key'
import type { Queries } from '@causeway/postgres'
import { isRefused } from '@causeway/services'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import type { Adapters } from './adapters.ts'
import type { Signed } from './contract.ts'
import {
  cipherOf,
  isPan,
  mayTranslate,
  needsPan,
  panFieldOf,
  pinFieldOf,
  pinIn,
  type PinFormat,
} from './domain/pin-block.ts'
import { privateKeyOf, secretOf, usableKey, type Usable } from './usable.ts'

export interface OperationParts {
  readonly db: Queries
  readonly providers: Adapters
}

/** @param algorithm Undefined: that of the key. */
export async function generateSignature(
  parts: OperationParts,
  keyId: string,
  algorithm: SignatureAlgorithm | undefined,
  signed: Signed,
): Promise<
  { readonly signature: Buffer; readonly algorithm: SignatureAlgorithm } | RefusedCommand
> {
  const usable = await usableKey(parts, keyId, 'SIGN')
  if (isRefused(usable)) return usable
  const own = algorithmOf(publicKeyOf(usable))
  if (own === undefined || (algorithm !== undefined && algorithm !== own)) {
    return refuse('KEY_USAGE_WRONG', `the key signs ${own ?? 'nothing'}`)
  }
  const fault = digestFault(own, signed)
  if (fault !== undefined) return fault
  const key = privateKeyOf(usable.key)
  const { provider } = usable
  const signature = await ('data' in signed
    ? provider.sign(key, signed.data)
    : provider.signDigest(key, signed.digest))
  return { signature, algorithm: own }
}

function digestFault(algorithm: SignatureAlgorithm, signed: Signed): RefusedCommand | undefined {
  if ('data' in signed) return undefined
  const length_bytes = digestLengthOf(algorithm)
  if (length_bytes === undefined) return refuse('INVALID', `${algorithm} needs data, not a digest`)
  return signed.digest.length === length_bytes
    ? undefined
    : refuse('INVALID', `a digest of ${algorithm} has ${length_bytes} bytes`)
}

function publicKeyOf({ key: { id, publicKey } }: Usable): KeyObject {
  if (publicKey === null) throw new Error(`the key ${id} has no public key`)
  return createPublicKey(publicKey)
}

export interface SignatureToVerify {
  /** Undefined where there is a public key. */
  readonly keyId: string | undefined
  /** PEM or the JSON of a JWK. */
  readonly publicKey: string | undefined
  readonly algorithm: SignatureAlgorithm
  readonly signed: Signed
  readonly signature: Buffer
}

export async function verifySignature(
  parts: OperationParts,
  { keyId, publicKey, algorithm, signed, signature }: SignatureToVerify,
): Promise<boolean | RefusedCommand> {
  if ((keyId === undefined) === (publicKey === undefined)) {
    return refuse('INVALID', 'either keyId or publicKey')
  }
  const fault = digestFault(algorithm, signed)
  if (fault !== undefined) return fault
  const key = publicKey === undefined ? await ownKey(parts, keyId) : publicKeyIn(publicKey)
  if (isRefused(key)) return key
  return 'data' in signed
    ? isSignature(algorithm, key, signed.data, signature)
    : isSignatureOfDigest(algorithm, key, signed.digest, signature)
}

async function ownKey(parts: OperationParts, keyId = ''): Promise<KeyObject | RefusedCommand> {
  const usable = await usableKey(parts, keyId, 'VERIFY')
  return isRefused(usable) ? usable : publicKeyOf(usable)
}

function publicKeyIn(text: string): KeyObject | RefusedCommand {
  const key = readPublicKey(text)
  if (key === undefined) {
    return refuse('INVALID', 'publicKey is neither a PEM nor a JWK of a public key')
  }
  const fault = publicKeyFault(key, ['RSA', 'P-256', 'P-384', 'Ed25519'])
  return fault === undefined ? key : refuse('INVALID', `publicKey is ${fault}`)
}

function readPublicKey(text: string): KeyObject | undefined {
  // createPublicKey takes private keys too, and discloses nothing about them; they do not belong here.
  if (text.includes('PRIVATE KEY')) return undefined
  try {
    if (!text.startsWith('{')) return createPublicKey(text)
    const { kty, crv, x, y, n, e } = JSON.parse(text) as Record<string, string>
    return createPublicKey({ key: { kty, crv, x, y, n, e } as JsonWebKey, format: 'jwk' })
  } catch {
    return undefined
  }
}

export async function encrypt(parts: OperationParts, keyId: string, plain: Buffer, aad: Buffer) {
  const usable = await usableKey(parts, keyId, 'ENCRYPT')
  return isRefused(usable) ? usable : usable.provider.encrypt(secretOf(usable.key), plain, aad)
}

const iv_bytes = 12
const tag_bytes = 16

export async function decrypt(
  parts: OperationParts,
  keyId: string,
  text: { readonly ciphertext: Buffer; readonly iv: Buffer; readonly tag: Buffer },
  aad: Buffer,
): Promise<Buffer | RefusedCommand> {
  const usable = await usableKey(parts, keyId, 'DECRYPT')
  if (isRefused(usable)) return usable
  const hasForm = text.iv.length === iv_bytes && text.tag.length === tag_bytes
  const plain = hasForm ? await usable.provider.decrypt(secretOf(usable.key), text, aad) : undefined
  return plain ?? refuse('CIPHERTEXT_INVALID', 'it was not encrypted with this key and aad')
}

export interface Translation {
  readonly block: Buffer
  readonly from: PinFormat
  readonly to: PinFormat
  readonly sourceKeyId: string
  readonly targetKeyId: string
  /** Empty: none. */
  readonly pan: string
}

/** The clear PIN is in the memory of this process for the time between the two keys. */
export async function translatePin(
  parts: OperationParts,
  translation: Translation,
): Promise<Buffer | RefusedCommand> {
  const { from, to, pan, block } = translation
  const fault = faultOf(translation)
  if (fault !== undefined) return fault
  const source = await pinKey(parts, translation.sourceKeyId, from)
  if (isRefused(source)) return source
  const target = await pinKey(parts, translation.targetKeyId, to)
  if (isRefused(target)) return target
  const pin = pinIn(from, await decryptedField(source, from, block, pan))
  if (pin === undefined) {
    return refuse('PIN_BLOCK_INVALID', 'no PIN block of this format under the source key')
  }
  return encryptedField(target, to, pinFieldOf(to, pin, target.provider.random(16)), pan)
}

function faultOf({ from, to, pan, block }: Translation): RefusedCommand | undefined {
  if (!mayTranslate(from, to)) {
    return refuse('INVALID', `a block of format ${from} cannot become one of format ${to}`)
  }
  if ((needsPan(from) || needsPan(to)) && !isPan(pan)) {
    return refuse('INVALID', 'pan must have 12 to 19 digits')
  }
  const length_bytes = from === 4 ? 16 : 8
  return block.length === length_bytes
    ? undefined
    : refuse('INVALID', `a block of format ${from} has ${length_bytes} bytes`)
}

async function pinKey(
  parts: OperationParts,
  keyId: string,
  format: PinFormat,
): Promise<Usable | RefusedCommand> {
  const usable = await usableKey(parts, keyId, 'TRANSLATE')
  if (isRefused(usable) || usable.key.type === cipherOf(format)) return usable
  return refuse('KEY_USAGE_WRONG', `format ${format} needs a key of type ${cipherOf(format)}`)
}

async function decryptedField(
  { key, provider }: Usable,
  format: PinFormat,
  block: Buffer,
  pan: string,
): Promise<Buffer> {
  const secret = secretOf(key)
  const combined = xor(await provider.decryptBlock(secret, block), panFieldOf(format, pan))
  return format === 4 ? provider.decryptBlock(secret, combined) : combined
}

async function encryptedField(
  { key, provider }: Usable,
  format: PinFormat,
  field: Buffer,
  pan: string,
): Promise<Buffer> {
  const secret = secretOf(key)
  const begun = format === 4 ? await provider.encryptBlock(secret, field) : field
  return provider.encryptBlock(secret, xor(begun, panFieldOf(format, pan)))
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))
}
