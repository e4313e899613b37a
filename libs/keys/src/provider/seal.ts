/** Encryption of stored secrets: AES-256-GCM, bound to a context, with keys in settings or in the HSM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { StartError } from '@causeway/process'
import { attribute, object } from './pkcs11/constants.ts'
import { decryptIn, encryptIn } from './pkcs11/provider.ts'
import type { TokenSession, Token } from './pkcs11/token.ts'
import type { Encrypted } from './provider.ts'
import { labelIn } from './signing-key.ts'

export interface Seal {
  /** Decryption needs the same `context`. */
  encrypt(plain: Buffer, context: string): Buffer
  /** Undefined if the text was encrypted with an unknown key, another context, or was modified. */
  decrypt(closed: Buffer, context: string): Buffer | undefined
  /** Whether the first key encrypted it. */
  isCurrent(closed: Buffer, context: string): boolean
}

/** One key of a seal. */
interface SealKey {
  encrypt(plain: Buffer, aad: Buffer): Encrypted
  decrypt(text: Encrypted, aad: Buffer): Buffer | undefined
}

const algorithm = 'aes-256-gcm'
const key_bytes = 32
const iv_bytes = 12
const tag_bytes = 16

/**
 * The first key encrypts, each decrypts: a new key is put before the old one, which stays until
 * everything is encrypted with the new one.
 * @param text Keys of 32 bytes in base64url, or `pkcs11:object=LABEL`, separated by commas.
 * @param token Undefined: there is no HSM.
 * @throws {StartError} for a key that is neither, and for one that the HSM does not have.
 */
export function openSeal(setting: string, text: string | undefined, token?: Token): Seal {
  const [current, ...earlier] = (text ?? '')
    .split(',')
    .map((one) => keyOf(setting, one.trim(), token))
  if (current === undefined) throw new Error('split returned nothing')
  return {
    encrypt(plain, context) {
      const { iv, ciphertext, tag } = current.encrypt(plain, Buffer.from(context))
      return Buffer.concat([iv, ciphertext, tag])
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

function decryptWith(key: SealKey, closed: Buffer, context: string): Buffer | undefined {
  if (closed.length < iv_bytes + tag_bytes) return undefined
  const text = {
    iv: closed.subarray(0, iv_bytes),
    ciphertext: closed.subarray(iv_bytes, -tag_bytes),
    tag: closed.subarray(-tag_bytes),
  }
  return key.decrypt(text, Buffer.from(context))
}

function keyOf(setting: string, text: string, token: Token | undefined): SealKey {
  if (text === '') {
    throw new StartError(`${setting} is not set: give ${key_bytes} random bytes in base64url.`)
  }
  const label = labelIn(text)
  if (label !== undefined) return keyInToken(setting, label, token)
  const key = Buffer.from(text, 'base64url')
  if (key.length !== key_bytes || key.toString('base64url') !== text) {
    throw new StartError(`${setting} is not ${key_bytes} bytes in base64url.`)
  }
  return keyInMemory(key)
}

function keyInMemory(key: Buffer): SealKey {
  return {
    encrypt(plain, aad) {
      const iv = randomBytes(iv_bytes)
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tag_bytes })
      cipher.setAAD(aad)
      const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
      return { iv, ciphertext, tag: cipher.getAuthTag() }
    },
    decrypt({ iv, ciphertext, tag }, aad) {
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tag_bytes })
      decipher.setAAD(aad)
      decipher.setAuthTag(tag)
      const begun = decipher.update(ciphertext)
      try {
        return Buffer.concat([begun, decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

function keyInToken(setting: string, label: string, token: Token | undefined): SealKey {
  if (token === undefined) {
    throw new StartError(`${setting} names a key in an HSM, but CRYPTO_PKCS11_LIBRARY is not set.`)
  }
  const keyIn = ({ find }: TokenSession) => {
    const key = find([
      { type: attribute.CLASS, value: object.SECRET_KEY },
      { type: attribute.LABEL, value: label },
    ])
    if (key !== undefined) return key
    throw new StartError(`${setting}: the token has no secret key with the label ${label}.`)
  }
  token.run(keyIn)
  return {
    encrypt: (plain, aad) => token.run((session) => encryptIn(session, keyIn(session), plain, aad)),
    decrypt: (text, aad) => token.run((session) => decryptIn(session, keyIn(session), text, aad)),
  }
}
