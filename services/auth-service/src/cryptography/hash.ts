/** Hashes of random numbers and data. Argon2id: RFC 9106; parameters of OWASP, few at once. */
import { argon2idAsync } from '@noble/hashes/argon2.js'
import { createHash, randomBytes } from 'node:crypto'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { limitConcurrency } from '../limit-concurrency.ts'

export const hashAlgorithms = ['SHA-256', 'SHA-512', 'argon2id'] as const
export type HashAlgorithm = (typeof hashAlgorithms)[number]

export interface Hashed {
  readonly hash: Buffer
  /** Left out: none. */
  readonly salt?: Buffer
}

const salt_bytes = 16
const saltOfArgon2_bytes_min = 8
const dataOfArgon2_bytes_max = 1_024
/** 19 MiB, two passes; it gives way to other work every 2 ms. */
const argon2 = { m: 19_456, t: 2, p: 1, dkLen: 32, asyncTick: 2 }

export type GenerateHash = (
  algorithm: HashAlgorithm,
  data: Buffer,
  salt: Buffer,
) => Promise<Hashed | RefusedCommand>

/** The salt precedes the data. An empty one is none, and a new one for argon2id. */
export function openHashes(): GenerateHash {
  const turns = limitConcurrency()
  return async (algorithm, data, given) => {
    if (algorithm !== 'argon2id') {
      const name = algorithm === 'SHA-256' ? 'sha256' : 'sha512'
      const hash = createHash(name).update(given).update(data).digest()
      return given.length === 0 ? { hash } : { hash, salt: given }
    }
    if (data.length > dataOfArgon2_bytes_max) {
      return refuse('INVALID', `data of argon2id has at most ${dataOfArgon2_bytes_max} bytes`)
    }
    const salt = given.length === 0 ? randomBytes(salt_bytes) : given
    if (salt.length < saltOfArgon2_bytes_min) {
      return refuse('INVALID', `salt of argon2id has at least ${saltOfArgon2_bytes_min} bytes`)
    }
    const hash = await turns(() => argon2idAsync(data, salt, argon2))
    return hash === undefined
      ? refuse('BUSY', 'too many hashes are under way')
      : { hash: Buffer.from(hash), salt }
  }
}
