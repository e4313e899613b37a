/**
 * Fields that only the other FSP may read: encrypted with its key before a message is signed,
 * decrypted after its signature was verified. FSPIOP (Encryption).
 */
import { decryptFields, encryptFields } from '@causeway/fspiop'
import type { KeyObject } from 'node:crypto'

export interface Encryption {
  /** The FSP's own private key (RSA); without it encrypted messages cannot be read. */
  readonly key?: KeyObject
  /** The public key (RSA) of another FSP; undefined: messages for it stay in clear. */
  readonly peerKey?: (fspId: string) => KeyObject | undefined
  /** Paths into the bodies of messages; those that a message has are encrypted. */
  readonly fields?: readonly string[]
}

export interface FieldEncryption {
  /** The body for the FSP `to`, and the value of FSPIOP-Encryption when a field was encrypted. */
  encrypt(to: string | undefined, body: object): EncryptedBody
  /** The body with its fields in clear, or why they cannot be read. */
  decrypt(header: string, bytes: Buffer): { readonly body: object } | { readonly why: string }
}

export interface EncryptedBody {
  readonly body: object
  readonly encryption: string | undefined
}

/** Fields that identify a person; everything that the hub routes by must stay in clear. */
const fields_usually = [
  'payer.name',
  'payer.personalInfo',
  'payee.name',
  'payee.personalInfo',
  'party.name',
  'party.personalInfo',
  'note',
]

export function openFieldEncryption({
  key,
  peerKey,
  fields = fields_usually,
}: Encryption = {}): FieldEncryption {
  return {
    encrypt(to, body) {
      const recipient = to === undefined ? undefined : peerKey?.(to)
      const present = recipient === undefined ? [] : fields.filter((path) => has(body, path))
      if (recipient === undefined || present.length === 0) return { body, encryption: undefined }
      const encrypted = encryptFields(body, present, recipient)
      if (!encrypted.ok) throw new Error(`a message cannot be encrypted: ${encrypted.detail}`)
      return { body: encrypted.body, encryption: encrypted.header }
    },
    decrypt(header, bytes) {
      if (key === undefined)
        return { why: 'header fspiop-encryption: no key is configured to decrypt it' }
      const body = objectIn(bytes)
      if (body === undefined) return { why: 'the body is not a JSON object' }
      const decrypted = decryptFields(header, body, key)
      return decrypted.ok ? { body: decrypted.body } : { why: decrypted.detail }
    },
  }
}

function has(body: object, path: string): boolean {
  let value: unknown = body
  for (const segment of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return false
    value = (value as Readonly<Record<string, unknown>>)[segment]
  }
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

function objectIn(bytes: Buffer): object | undefined {
  try {
    const json: unknown = JSON.parse(bytes.toString())
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}
