/** Encryption of stored secrets: AES-256-GCM, bound to a context. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { StartError } from '@causeway/process'

export interface Seal {
  /** Decryption needs the same `context`. */
  encrypt(plain: Buffer, context: string): Buffer
  /** Undefined if the text was encrypted with another key or context, or was modified. */
  decrypt(closed: Buffer, context: string): Buffer | undefined
}

const algorithm = 'aes-256-gcm'
const key_bytes = 32
const nonce_bytes = 12
const tag_bytes = 16

/** Throws StartError for a key that is not 32 bytes in base64url. */
export function openSeal(setting: string, text: string): Seal {
  if (text === '') {
    throw new StartError(`${setting} is not set: give ${key_bytes} random bytes in base64url.`)
  }
  const key = Buffer.from(text, 'base64url')
  if (key.length !== key_bytes || key.toString('base64url') !== text) {
    throw new StartError(`${setting} is not ${key_bytes} bytes in base64url.`)
  }
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(nonce_bytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tag_bytes })
      cipher.setAAD(Buffer.from(context))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    decrypt(closed, context) {
      if (closed.length < nonce_bytes + tag_bytes) return undefined
      const nonce = closed.subarray(0, nonce_bytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tag_bytes })
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(closed.subarray(-tag_bytes))
      try {
        const begun = decipher.update(closed.subarray(nonce_bytes, -tag_bytes))
        return Buffer.concat([begun, decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}
