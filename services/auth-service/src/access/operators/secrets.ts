/**
 * Hashing and checking of operators' secrets. A person's password is hashed slowly and with much
 * memory (scrypt, RFC 7914); a program's secret is 256 random bits, which cannot be guessed.
 */
import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { limitConcurrency } from '../../limit-concurrency.ts'
import { secret_length_max } from './domain/operator.ts'

const block = 8
const parallel = 3
const hash_bytes = 32
const salt_bytes = 16
const secret_bytes = 32

export type SecretCheck = 'RIGHT' | 'WRONG' | 'BUSY'

export interface Secrets {
  /** Undefined if too many hashes are in progress. */
  hashPassword(password: string): Promise<string | undefined>
  /** With `stored` undefined the result is WRONG, after the same time. */
  check(secret: string, stored: string | undefined): Promise<SecretCheck>
}

/** For a program, or as the first password of a person. */
export function newSecret(): string {
  return randomBytes(secret_bytes).toString('base64url')
}

/** Only for secrets of `newSecret`. */
export function hashOfSecret(secret: string): string {
  return `sha256$${sha256(secret).toString('base64url')}`
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** @param cost of a hash, as a power of two: 15 is 32 MiB of memory and about 100 ms */
export function openSecrets({ cost }: { readonly cost: number }): Secrets {
  const turns = limitConcurrency()
  const dummyHash = encoded(cost, randomBytes(salt_bytes), randomBytes(hash_bytes))

  async function checkPassword(password: string, stored: string): Promise<SecretCheck> {
    const [, rounds = '', , , salt = '', hash = ''] = stored.split('$')
    const wanted = Buffer.from(hash, 'base64url')
    const stored_cost = Math.log2(Number(rounds))
    const found = await turns(() => derive(stored_cost, password, Buffer.from(salt, 'base64url')))
    if (found === undefined) return 'BUSY'
    return timingSafeEqual(found, wanted) && stored !== dummyHash ? 'RIGHT' : 'WRONG'
  }

  return {
    async hashPassword(password) {
      const salt = randomBytes(salt_bytes)
      const hash = await turns(() => derive(cost, password, salt))
      return hash === undefined ? undefined : encoded(cost, salt, hash)
    },
    async check(secret, stored = dummyHash) {
      if (secret.length > secret_length_max) return 'WRONG'
      if (!stored.startsWith('sha256$')) return checkPassword(secret, stored)
      const found = Buffer.from(hashOfSecret(secret))
      const wanted = Buffer.from(stored)
      return found.length === wanted.length && timingSafeEqual(found, wanted) ? 'RIGHT' : 'WRONG'
    },
  }
}

function encoded(cost: number, salt: Buffer, hash: Buffer): string {
  const texts = [salt.toString('base64url'), hash.toString('base64url')]
  return ['scrypt', 2 ** cost, block, parallel, ...texts].join('$')
}

/** Passwords are normalized before comparison (RFC 8265). */
function derive(cost: number, password: string, salt: Buffer): Promise<Buffer> {
  const N = 2 ** cost
  const options = { N, r: block, p: parallel, maxmem: 256 * N * block }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, hash_bytes, options, (error, hash) => {
      if (error === null) resolve(hash)
      else reject(error)
    })
  })
}
