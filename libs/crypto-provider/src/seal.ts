/** Encryption of stored secrets: AES-256-GCM, bound to a context. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { StartError } from '@causeway/process'

export interface Seal {
  /** Decryption needs the same `context`. */
  encrypt(plain: Buffer, context: string): Buffer
  /** Undefined if the text was encrypted with an unknown key, another context, or was modified. */
  decrypt(closed: Buffer, context: string): Buffer | undefined
  /** Whether the first key encrypted it. */
  isCurrent(closed: Buffer, context: string): boolean
}

const algorithm = 'aes-256-gcm'
const key_bytes = 32
const nonce_bytes = 12
const tag_bytes = 16

/**
 * The first key encrypts, each decrypts: a new key is put before the old one, which stays until
 * everything is encrypted with the new one.
 * @param text Keys of 32 bytes in base64url, separated by commas.
 * @throws {StartError} for a key that is not 32 bytes in base64url.
 */
export function openSeal(setting: string, text: string): Seal {
  const [current, ...earlier] = text.split(',').map((one) => keyOf(setting, one.trim()))
  if (current === undefined) throw new Error('split returned nothing')
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(nonce_bytes)
      const cipher = createCipheriv(algorithm, current, nonce, { authTagLength: tag_bytes })
      cipher.setAAD(Buffer.from(context))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    decrypt(closed, context) {
      for (const key of [current, ...earlier]) {
        const plain = decryptWith(key, closed, context)
        if (plain !== undefined) return plain
      }
      return undefined
    },
    isCurrent: (closed, context) => decryptWith(current, closed, context) !== undefined,
  }
}

function keyOf(setting: string, text: string): Buffer {
  if (text === '') {
    throw new StartError(`${setting} is not set: give ${key_bytes} random bytes in base64url.`)
  }
  const key = Buffer.from(text, 'base64url')
  if (key.length !== key_bytes || key.toString('base64url') !== text) {
    throw new StartError(`${setting} is not ${key_bytes} bytes in base64url.`)
  }
  return key
}

function decryptWith(key: Buffer, closed: Buffer, context: string): Buffer | undefined {
  if (closed.length < nonce_bytes + tag_bytes) return undefined
  const decipher = createDecipheriv(algorithm, key, closed.subarray(0, nonce_bytes), {
    authTagLength: tag_bytes,
  })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(closed.subarray(-tag_bytes))
  try {
    const begun = decipher.update(closed.subarray(nonce_bytes, -tag_bytes))
    return Buffer.concat([begun, decipher.final()])
  } catch {
    return undefined
  }
}
