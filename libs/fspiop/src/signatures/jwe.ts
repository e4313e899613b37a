/**
 * Encrypted fields of a body: only their recipient can read them, and a change is detected. The hub
 * relays them; FSPs encrypt before signing and decrypt after verifying. FSPIOP (Encryption) 3 and 4,
 * RFC 7516, RFC 7518.
 */
import { isUtf8 } from 'node:buffer'
import {
  constants,
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type EncryptedField, overlapOf, readEncryptionHeader } from './encryption-header.ts'
import type { ErrorCode } from '../errors.ts'

const ciphers = {
  A128GCM: { name: 'aes-128-gcm', key_bytes: 16 },
  A192GCM: { name: 'aes-192-gcm', key_bytes: 24 },
  A256GCM: { name: 'aes-256-gcm', key_bytes: 32 },
} as const

export type ContentEncryption = keyof typeof ciphers

export interface EncryptionOptions {
  readonly enc?: ContentEncryption
  /** Compress first. Lengths then reveal something of the content, so only where size matters. */
  readonly zip?: 'DEF' | undefined
}

export type Encryption =
  | { readonly ok: true; readonly body: object; readonly header: string }
  | { readonly ok: false; readonly detail: string }

export type Decryption =
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail: string }

/** The key and initialization vector of one field, and the entry's protected header, base64url. */
export interface FieldCipher {
  readonly enc: ContentEncryption
  readonly contentKey: Buffer
  readonly initializationVector: Buffer
  readonly protectedHeader: string
}

const header_max = 65_536
const fieldName_max = 512
const initializationVector_bytes = 12
const tag_bytes = 16
const base64urlPattern = /^[A-Za-z0-9_-]*$/

/** A few hundred bytes can inflate to a thousand times that; no body is larger than this. */
const inflated_bytes_max = 5_242_880

/**
 * Encrypts fields of a body for the holder of an RSA key: paths from the root, separated by dots; a
 * number is the index in a list. One content key for the message, one initialization vector for each
 * field. Returns the new body and the value of FSPIOP-Encryption; `detail` names a path that is not a
 * text, an object or a list.
 */
export function encryptFields(
  body: object,
  fields: readonly string[],
  recipientKey: KeyObject,
  { enc = 'A256GCM', zip }: EncryptionOptions = {},
): Encryption {
  const overlap = fields.length === 0 ? 'no field is named' : overlapOf(fields)
  if (overlap !== undefined) return { ok: false, detail: overlap }
  const protectedHeader = encode(JSON.stringify({ alg: 'RSA-OAEP-256', enc, zip }))
  const contentKey = randomBytes(ciphers[enc].key_bytes)
  const encryptedKey = publicEncrypt({ key: recipientKey, ...oaep }, contentKey).toString(
    'base64url',
  )
  const encryptedField: EncryptedField[] = []
  const ciphertexts: Placed[] = []
  for (const fieldName of fields) {
    const plaintext = plaintextOf(valueAt(body, fieldName))
    if (plaintext === undefined || fieldName.length > fieldName_max) {
      return { ok: false, detail: `${fieldName} is no text, object or list of the body` }
    }
    const initializationVector = randomBytes(initializationVector_bytes)
    const { ciphertext, tag } = encryptValue(
      zip === undefined ? plaintext : deflateRawSync(plaintext),
      { enc, contentKey, initializationVector, protectedHeader },
    )
    ciphertexts.push([fieldName.split('.'), ciphertext.toString('base64url')])
    encryptedField.push({
      fieldName,
      encryptedKey,
      protectedHeader,
      initializationVector: initializationVector.toString('base64url'),
      authenticationTag: tag.toString('base64url'),
    })
  }
  const header = JSON.stringify({ encryptedFields: { encryptedField } })
  if (header.length > header_max) return { ok: false, detail: 'too many fields for one header' }
  return { ok: true, body: withValues(body, ciphertexts) as object, header }
}

/**
 * The body with all fields decrypted that FSPIOP-Encryption lists. One that cannot be decrypted makes
 * the whole message invalid: 3101 for the header itself, else 3100. Content that is the JSON of an
 * object or a list is parsed, any other is a text.
 */
export function decryptFields(header: string, body: object, privateKey: KeyObject): Decryption {
  const reading = readEncryptionHeader(header)
  if ('code' in reading) return { ok: false, code: reading.code, detail: reading.detail }
  const contentKeys = new Map<string, Buffer | undefined>()
  let left_bytes = inflated_bytes_max
  const plaintexts: Placed[] = []
  for (const field of reading.fields) {
    const { fieldName, encryptedKey } = field
    if (!contentKeys.has(encryptedKey)) {
      contentKeys.set(encryptedKey, decryptKey(encryptedKey, privateKey))
    }
    const contentKey = contentKeys.get(encryptedKey)
    const plaintext =
      contentKey && openField(field, valueAt(body, fieldName), contentKey, left_bytes)
    if (plaintext === undefined) {
      return { ok: false, code: '3100', detail: `${fieldName} cannot be decrypted` }
    }
    left_bytes -= plaintext.length
    plaintexts.push([fieldName.split('.'), valueOf(plaintext.toString('utf8'))])
  }
  return { ok: true, body: withValues(body, plaintexts) as object }
}

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const

function decryptKey(encryptedKey: string, privateKey: KeyObject): Buffer | undefined {
  try {
    return privateDecrypt({ key: privateKey, ...oaep }, Buffer.from(encryptedKey, 'base64url'))
  } catch {
    return undefined
  }
}

/** The plaintext in UTF-8. `undefined` for any failure: the reason must not be disclosed to the sender. */
function openField(
  field: EncryptedField,
  value: unknown,
  contentKey: Buffer,
  bytes_max: number,
): Buffer | undefined {
  const { protectedHeader } = field
  const method = readMethod(protectedHeader)
  if (method === undefined || typeof value !== 'string' || !base64urlPattern.test(value)) {
    return undefined
  }
  const { enc, zip } = method
  const initializationVector = Buffer.from(field.initializationVector, 'base64url')
  const opened = decryptValue(
    Buffer.from(value, 'base64url'),
    Buffer.from(field.authenticationTag, 'base64url'),
    { enc, contentKey, initializationVector, protectedHeader },
  )
  const plaintext = zip && opened ? inflate(opened, bytes_max) : opened
  return plaintext && plaintext.length <= bytes_max && isUtf8(plaintext) ? plaintext : undefined
}

function readMethod(
  protectedHeader: string,
): { readonly enc: ContentEncryption; readonly zip: boolean } | undefined {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(protectedHeader, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof json !== 'object' || json === null || Object.hasOwn(json, 'crit')) return undefined
  const { alg, enc, zip } = json as Readonly<Record<string, unknown>>
  if (alg !== 'RSA-OAEP-256' || (zip !== undefined && zip !== 'DEF')) return undefined
  return isContentEncryption(enc) ? { enc, zip: zip === 'DEF' } : undefined
}

function isContentEncryption(value: unknown): value is ContentEncryption {
  return typeof value === 'string' && Object.hasOwn(ciphers, value)
}

function inflate(bytes: Buffer, bytes_max: number): Buffer | undefined {
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, bytes_max) })
  } catch {
    return undefined
  }
}

/** AES-GCM with the entry's encoded protected header as additional data. */
export function encryptValue(
  plaintext: Buffer,
  { enc, contentKey, initializationVector, protectedHeader }: FieldCipher,
): { readonly ciphertext: Buffer; readonly tag: Buffer } {
  const cipher = createCipheriv(ciphers[enc].name, contentKey, initializationVector)
  cipher.setAAD(Buffer.from(protectedHeader, 'latin1'))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return { ciphertext, tag: cipher.getAuthTag() }
}

/** `undefined` when key, tag and content do not match. Any length of the vector is accepted. */
export function decryptValue(
  ciphertext: Buffer,
  tag: Buffer,
  { enc, contentKey, initializationVector, protectedHeader }: FieldCipher,
): Buffer | undefined {
  if (contentKey.length !== ciphers[enc].key_bytes || tag.length !== tag_bytes) return undefined
  try {
    const decipher = createDecipheriv(ciphers[enc].name, contentKey, initializationVector)
    decipher.setAAD(Buffer.from(protectedHeader, 'latin1'))
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    return undefined
  }
}

function plaintextOf(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value)
  return typeof value === 'object' && value !== null
    ? Buffer.from(JSON.stringify(value))
    : undefined
}

/** The format does not mark objects, so any text that parses as one becomes one. */
function valueOf(plaintext: string): unknown {
  if (!/^\s*[[{]/.test(plaintext)) return plaintext
  try {
    return JSON.parse(plaintext)
  } catch {
    return plaintext
  }
}

/** `undefined` when the path does not exist; inherited properties are never reached. */
function valueAt(body: object, path: string): unknown {
  let value: unknown = body
  for (const segment of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    if (!Object.hasOwn(value, segment)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[segment]
  }
  return value
}

/** A value and where it belongs. */
type Placed = readonly [path: readonly string[], value: unknown]

/**
 * A copy with other values at existing paths, none of which contains another. Each object and list on the
 * paths is copied once, however many paths lead through it; everything else is shared.
 */
function withValues(node: unknown, placed: readonly Placed[]): unknown {
  const [first] = placed
  if (first === undefined) return node
  if (first[0].length === 0) return first[1]
  const copy = (Array.isArray(node) ? node.slice() : { ...(node as object) }) as object
  for (const [segment, inner] of bySegment(placed)) {
    const value = withValues(Reflect.get(copy, segment), inner)
    // Unlike an assignment, also for a member with the name of an inherited property.
    Object.defineProperty(copy, segment, { ...plain, value })
  }
  return copy
}

/** What is placed below each first segment, with the rest of its path. */
function bySegment(placed: readonly Placed[]): ReadonlyMap<string, readonly Placed[]> {
  const below = new Map<string, Placed[]>()
  for (const [[segment = '', ...rest], value] of placed) {
    const inner = below.get(segment)
    if (inner === undefined) below.set(segment, [[rest, value]])
    else inner.push([rest, value])
  }
  return below
}

const plain = { configurable: true, enumerable: true, writable: true } as const

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
