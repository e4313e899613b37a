/**
 * The keys that sign tokens: one key signs at a time, the same in every replica with the same
 * providers, and each is published for as long as one of its tokens can be valid. A key is made by the
 * provider of new keys, and signs there.
 */
import { randomUUID } from 'node:crypto'
import type { Adapter, CryptoProvider, Seal } from '@causeway/keys/provider'
import type { Database } from '@causeway/postgres'
import { StartError } from '@causeway/process'
import { isRefused } from '@causeway/services'
import type { Adapters } from '../../cryptography/adapters.ts'
import { publishedFrom, signing } from './domain/token-key.ts'
import {
  insertTokenKey,
  lockTokenKeys,
  saveTokenKey,
  tokenKeysAfter,
  type StoredTokenKey,
} from './store.ts'

export interface SigningKey {
  readonly kid: string
  readonly signsUntil: Date
  /** ES256 (RFC 7518 3.4). */
  readonly sign: (bytes: Buffer) => Promise<Buffer>
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
  readonly providers: Adapters
  readonly life_ms: number
}

const curve = 'P-256'

export function openTokenKeys({ db, seal, providers, life_ms }: TokenKeyParts): TokenKeys {
  let known: SigningKey | undefined
  let finding: Promise<SigningKey> | undefined

  async function find(now: Date): Promise<SigningKey> {
    const provider = await ownProvider()
    const stored = signingIn(provider, await tokenKeysAfter(db, now), now)
    known = opened(provider, stored ?? (await make(provider, now)))
    return known
  }

  /** The provider of new keys. A process without that one signs with keys of node:crypto. */
  async function ownProvider(): Promise<CryptoProvider> {
    const active = await providers.active(db)
    const provider = isRefused(active) ? providers.of('NODE') : active
    if (provider === undefined) throw new Error('there is no provider of node:crypto')
    return provider
  }

  /** Another replica may have created a key before this one got the lock. */
  async function make(provider: CryptoProvider, now: Date): Promise<StoredTokenKey> {
    const { key, ended } = await db.transaction(async (tx) => {
      await lockTokenKeys(tx)
      const other = signingIn(provider, await tokenKeysAfter(tx, now), now)
      if (other !== undefined) return { key: other, ended: [] }
      const made = newTokenKey(provider, new Date(now.getTime() + life_ms))
      return { key: made, ended: await insertTokenKey(tx, made, now) }
    })
    for (const { kid, adapter, privateKey } of ended) {
      providers.of(adapter)?.remove({ id: kid, material: privateKey })
    }
    return key
  }

  function opened(provider: CryptoProvider, stored: StoredTokenKey): SigningKey {
    const { kid, adapter, signsUntil, privateKey: material } = stored
    if (material === null) throw new Error(`the token key ${kid} signs no more`)
    if (adapter === 'NODE') plainOf(seal, stored)
    const key = { id: kid, material, curve } as const
    return { kid, signsUntil, sign: (bytes) => provider.sign(key, bytes) }
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
      db.transaction(async (tx) => {
        await lockTokenKeys(tx)
        for (const stored of keysOf('NODE', await tokenKeysAfter(tx, now))) {
          const { kid, privateKey } = stored
          if (privateKey === null || seal.isCurrent(privateKey, kid)) continue
          await saveTokenKey(tx, kid, seal.encrypt(plainOf(seal, stored), kid))
        }
      }),
  }
}

function plainOf(seal: Seal, { kid, privateKey }: StoredTokenKey): Buffer {
  const der = privateKey === null ? undefined : seal.decrypt(privateKey, kid)
  if (der !== undefined) return der
  throw new StartError(
    'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the stored token keys.',
  )
}

function keysOf(adapter: Adapter, keys: readonly StoredTokenKey[]): readonly StoredTokenKey[] {
  return keys.filter((each) => each.adapter === adapter)
}

function signingIn(
  { adapter }: CryptoProvider,
  keys: readonly StoredTokenKey[],
  now: Date,
): StoredTokenKey | undefined {
  return signing(keysOf(adapter, keys), now)
}

function newTokenKey(provider: CryptoProvider, signsUntil: Date): StoredTokenKey {
  const kid = randomUUID()
  const made = provider.newPair({ id: kid, label: 'token key', usage: 'SIGN', curve })
  const jwk = made.publicKey.export({ format: 'jwk' })
  return {
    kid,
    jwk: JSON.stringify({ ...jwk, kid, use: 'sig', alg: 'ES256' }),
    adapter: provider.adapter,
    privateKey: made.material,
    signsUntil,
  }
}
