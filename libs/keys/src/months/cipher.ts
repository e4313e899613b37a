/**
 * Encryption of one stored body with the key of a month: AES-256-GCM. Each sealer has a key of its own,
 * derived from that of the month and a random salt, so its nonces can be a counter and never repeat.
 * A sealed body names its month and its key; what is no sealed body is read as it is.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'

/** '2026-08' */
export type Month = string

/** Which key a body is sealed with. */
export interface SealedWith {
  readonly month: Month
  /** Hexadecimal. */
  readonly thumbprint: string
}

export interface MonthKey extends SealedWith {
  readonly key: Buffer
}

const key_bytes = 32
/** Stored in place of a body after the erasure of a person. No message begins with this byte. */
export const erasedBody = Buffer.from([2])

const algorithm = 'aes-256-gcm'
const tag_bytes = 16
const nonce_bytes = 12
const salt_bytes = 16
const counter_bytes = 6
/** No message begins like this: it is neither JSON nor white space. */
const magic = Buffer.from([1, 0x4d])
const thumbprint_bytes = 8
/** After the magic bytes: months since the year 0, the thumbprint of the key, the salt, the counter. */
const monthAt = magic.length
const thumbprintAt = monthAt + 2
const saltAt = thumbprintAt + thumbprint_bytes
const counterAt = saltAt + salt_bytes
const head_bytes = counterAt + counter_bytes

export type Sealer = (plain: Buffer) => Buffer

/** Names a key without revealing it. */
export function thumbprintOf(key: Buffer): string {
  const hash = createHash('sha256').update('causeway month key').update(key).digest()
  return hash.toString('hex', 0, thumbprint_bytes)
}

export function openSealer({ month, key: monthKey, thumbprint }: MonthKey): Sealer {
  const template = Buffer.alloc(head_bytes)
  magic.copy(template)
  template.writeUInt16BE(numberOf(month), monthAt)
  template.write(thumbprint, thumbprintAt, 'hex')
  randomBytes(salt_bytes).copy(template, saltAt)
  const key = bodyKey(monthKey, template)
  let sealed = 0
  return (plain) => {
    const head = Buffer.from(template)
    head.writeUIntBE(sealed++, counterAt, counter_bytes)
    const cipher = createCipheriv(algorithm, key, nonceOf(head), { authTagLength: tag_bytes })
    cipher.setAAD(head)
    return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
}

/** The key that a stored body needs; undefined: it is not encrypted. */
export function sealedWith(stored: Buffer): SealedWith | undefined {
  if (stored.length < head_bytes + tag_bytes || !magic.equals(stored.subarray(0, magic.length))) {
    return undefined
  }
  const months = stored.readUInt16BE(monthAt)
  return {
    month: `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`,
    thumbprint: stored.toString('hex', thumbprintAt, saltAt),
  }
}

/** Undefined for a body that was modified, or sealed with another key. */
export function unseal(monthKey: Buffer, sealed: Buffer): Buffer | undefined {
  const head = sealed.subarray(0, head_bytes)
  const key = bodyKey(monthKey, head)
  const decipher = createDecipheriv(algorithm, key, nonceOf(head), { authTagLength: tag_bytes })
  decipher.setAAD(head)
  decipher.setAuthTag(sealed.subarray(-tag_bytes))
  const plain = decipher.update(sealed.subarray(head_bytes, -tag_bytes))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    return undefined
  }
}

function numberOf(month: Month): number {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return year * 12 + number - 1
}

/** A KeyObject, since a cipher with the bytes of a key costs 8 µs more on Node.js 24. */
function bodyKey(monthKey: Buffer, head: Buffer): KeyObject {
  const salt = head.subarray(saltAt, counterAt)
  const bytes = hkdfSync('sha256', monthKey, salt, 'causeway message body', key_bytes)
  return createSecretKey(new Uint8Array(bytes))
}

function nonceOf(head: Buffer): Buffer {
  const nonce = Buffer.alloc(nonce_bytes)
  head.copy(nonce, nonce_bytes - counter_bytes, counterAt)
  return nonce
}
