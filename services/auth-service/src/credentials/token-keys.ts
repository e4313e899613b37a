/**
 * The keys that sign tokens: one key signs at a time, the same in every replica, and each is
 * published for as long as one of its tokens can be valid.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Database, Transaction } from '@causeway/postgres'
import { StartError } from '@causeway/process'
import { calculateJwkThumbprint } from 'jose'
import { publishedFrom, signing } from './domain/token-key.ts'
import type { Seal } from '@causeway/crypto-provider'
import {
  insertTokenKey,
  lockTokenKeys,
  saveTokenKey,
  tokenKeysAfter,
  type StoredTokenKey,
} from './store.ts'

export interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
  readonly signsUntil: Date
}

export interface TokenKeys {
  /** The current signing key; the first call creates it if there is none. */
  current(now: Date): Promise<SigningKey>
  /** The JWK set, as JSON, that verifies every valid token. */
  jwks(now: Date): Promise<string>
  /** Encrypts the stored keys with the current key of the seal. */
  reseal(now: Date): Promise<void>
}

export interface TokenKeyParts {
  readonly db: Database
  readonly seal: Seal
  readonly life_ms: number
}

export function openTokenKeys({ db, seal, life_ms }: TokenKeyParts): TokenKeys {
  let known: SigningKey | undefined
  let finding: Promise<SigningKey> | undefined

  async function find(now: Date): Promise<SigningKey> {
    const stored = signing(await tokenKeysAfter(db, now), now) ?? (await make(now))
    known = opened(stored)
    return known
  }

  /** Another replica may have created a key before this one got the lock. */
  function make(now: Date): Promise<StoredTokenKey> {
    return db.transaction(async (tx: Transaction) => {
      await lockTokenKeys(tx)
      const made = signing(await tokenKeysAfter(tx, now), now)
      if (made !== undefined) return made
      const key = await newTokenKey(seal, new Date(now.getTime() + life_ms))
      await insertTokenKey(tx, key, now)
      return key
    })
  }

  function plainOf({ kid, privateKey }: StoredTokenKey): Buffer {
    const der = privateKey === null ? undefined : seal.decrypt(privateKey, kid)
    if (der !== undefined) return der
    throw new StartError(
      'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the stored token keys.',
    )
  }

  function opened(stored: StoredTokenKey): SigningKey {
    const { kid, signsUntil } = stored
    const der = plainOf(stored)
    return { kid, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }), signsUntil }
  }

  return {
    async current(now) {
      if (known !== undefined && now < known.signsUntil) return known
      finding ??= find(now).finally(() => {
        finding = undefined
      })
      return finding
    },
    async jwks(now) {
      const keys = await tokenKeysAfter(db, publishedFrom(now))
      return `{"keys":[${keys.map(({ jwk }) => jwk).join(',')}]}`
    },
    reseal: (now) =>
      db.transaction(async (tx: Transaction) => {
        await lockTokenKeys(tx)
        for (const stored of await tokenKeysAfter(tx, now)) {
          const { kid, privateKey } = stored
          if (privateKey === null || seal.isCurrent(privateKey, kid)) continue
          await saveTokenKey(tx, kid, seal.encrypt(plainOf(stored), kid))
        }
      }),
  }
}

async function newTokenKey(seal: Seal, signsUntil: Date): Promise<StoredTokenKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint(publicKey)
  return {
    kid,
    jwk: JSON.stringify({ ...jwk, kid, use: 'sig', alg: 'ES256' }),
    privateKey: seal.encrypt(privateKey.export({ type: 'pkcs8', format: 'der' }), kid),
    signsUntil,
  }
}
