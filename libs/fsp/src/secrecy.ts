/**
 * Fields that only the other FSP is to read: encrypted for whose key is known before a message is
 * signed, decrypted after its signature was found right. FSPIOP (Encryption).
 */
import { decryptFields, encryptFields } from '@causeway/fspiop'
import type { KeyObject } from 'node:crypto'

export interface Encryption {
  /** The FSP's own private key (RSA); without it no encrypted message can be read. */
  readonly key?: KeyObject
  /** The public key (RSA) of another FSP; undefined: messages for it stay in clear. */
  readonly peerKey?: (fspId: string) => KeyObject | undefined
  /** Paths into the bodies of messages; of these, what a message has is encrypted. */
  readonly fields?: readonly string[]
}

export interface Secrecy {
  /** The body for this FSP, and the value of FSPIOP-Encryption when something was encrypted. */
  hide(to: string | undefined, body: object): Hidden
  /** A body with its fields in clear, or why they cannot be read. */
  reveal(header: string, bytes: Buffer): { readonly body: object } | { readonly why: string }
}

export interface Hidden {
  readonly body: object
  readonly encryption: string | undefined
}

/** What says who a person is; all that the hub routes by must stay in clear. */
const fields_usually = [
  'payer.name',
  'payer.personalInfo',
  'payee.name',
  'payee.personalInfo',
  'party.name',
  'party.personalInfo',
  'note',
]

export function openSecrecy({ key, peerKey, fields = fields_usually }: Encryption = {}): Secrecy {
  return {
    hide(to, body) {
      const recipient = to === undefined ? undefined : peerKey?.(to)
      const present = recipient === undefined ? [] : fields.filter((path) => has(body, path))
      if (recipient === undefined || present.length === 0) return { body, encryption: undefined }
      const encrypted = encryptFields(body, present, recipient)
      if (!encrypted.ok) throw new Error(`a message cannot be encrypted: ${encrypted.detail}`)
      return { body: encrypted.body, encryption: encrypted.header }
    },
    reveal(header, bytes) {
      if (key === undefined) return { why: 'header fspiop-encryption: there is no key to read it' }
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
