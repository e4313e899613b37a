/**
 * The keys that sign tokens: one signs at a time, every replica uses the same one, and each is shown to
 * those who verify for as long as a token of it can be valid.
 */
import { StartError, type Database, type Transaction } from '@causeway/runtime'
import { calculateJwkThumbprint } from 'jose'
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { shownFrom, signing } from './domain/token-key.ts'
import type { Seal } from './seal.ts'
import { insertTokenKey, lockTokenKeyTurn, tokenKeysAfter, type StoredTokenKey } from './store.ts'

export interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
  readonly signsUntil: Date
}

export interface TokenKeys {
  /** The one that signs now; made by whoever asks first when there is none. */
  current(now: Date): Promise<SigningKey>
  /** JSON of the JWK set that verifies every token that is valid now. */
  jwks(now: Date): Promise<string>
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

  /** Under the lock it may turn out that another replica has just made one. */
  function make(now: Date): Promise<StoredTokenKey> {
    return db.transaction(async (tx: Transaction) => {
      await lockTokenKeyTurn(tx)
      const made = signing(await tokenKeysAfter(tx, now), now)
      if (made !== undefined) return made
      const key = await newTokenKey(seal, new Date(now.getTime() + life_ms))
      await insertTokenKey(tx, key, now)
      return key
    })
  }

  function opened({ kid, privateKey, signsUntil }: StoredTokenKey): SigningKey {
    const der = privateKey === null ? undefined : seal.open(privateKey, kid)
    if (der === undefined) {
      throw new StartError(
        'AUTH_SERVICE_SECRETS_KEY is not the key with which the keys of tokens were stored.',
      )
    }
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
      const keys = await tokenKeysAfter(db, shownFrom(now))
      return `{"keys":[${keys.map(({ jwk }) => jwk).join(',')}]}`
    },
  }
}

async function newTokenKey(seal: Seal, signsUntil: Date): Promise<StoredTokenKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint(publicKey)
  return {
    kid,
    jwk: JSON.stringify({ ...jwk, kid, use: 'sig', alg: 'ES256' }),
    privateKey: seal.close(privateKey.export({ type: 'pkcs8', format: 'der' }), kid),
    signsUntil,
  }
}
