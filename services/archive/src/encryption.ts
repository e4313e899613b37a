/**
 * Encryption of the files of a month with the key that auth-service keeps for it: AES-256-CTR, then
 * HMAC-SHA256 over the encrypted file, and another over its entry in the manifest. The keys of a file are
 * derived from that of the month and a random salt. Unlike GCM, it has no bound to the length of a file.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  type Hmac,
} from 'node:crypto'
import type { Transform } from 'node:stream'

export interface FileCipher {
  /** Of the manifest, hexadecimal. */
  readonly salt: string
  encrypt(): Transform
  decrypt(): Transform
  /** Over the encrypted file. */
  mac(): Hmac
  /** Over its entry in the manifest. */
  entryMac(): Hmac
}

const algorithm = 'aes-256-ctr'
const key_bytes = 32
const salt_bytes = 16
/** A key encrypts one file. */
const iv = Buffer.alloc(16)

/** @param salt that of the manifest; a new one for a new file */
export function fileCipher(
  monthKey: Buffer,
  salt = randomBytes(salt_bytes).toString('hex'),
): FileCipher {
  const derived = hkdfSync(
    'sha256',
    monthKey,
    Buffer.from(salt, 'hex'),
    'causeway archive',
    3 * key_bytes,
  )
  const keys = Buffer.from(derived)
  const key = keys.subarray(0, key_bytes)
  return {
    salt,
    encrypt: () => createCipheriv(algorithm, key, iv),
    decrypt: () => createDecipheriv(algorithm, key, iv),
    mac: () => createHmac('sha256', keys.subarray(key_bytes, 2 * key_bytes)),
    entryMac: () => createHmac('sha256', keys.subarray(2 * key_bytes)),
  }
}
