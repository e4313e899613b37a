/**
 * The public keys that verify messages: the hub's are fetched from the hub itself, other FSPs' from
 * where the scheme publishes them. They are cached for a while, and fetched again when a message
 * names an unknown key.
 */
import { readPublicKey, type VerificationKey } from '@causeway/fspiop'
import { LRUCache } from 'lru-cache'
import type { Transport } from './hub/transport.ts'

/** The keys that an FSP signs with; none for an unknown FSP. Rejects when they cannot be read. */
export type KeysOf = (fspId: string) => Promise<readonly VerificationKey[]>

export interface Keyring {
  /** Undefined: the keys cannot be read now. `kid`: the key that a message names. */
  keysOf(fspId: string, kid: string | undefined): Promise<readonly VerificationKey[] | undefined>
}

interface CachedKeys {
  readonly keys: readonly VerificationKey[]
  readonly asked_ms: number
}

/** Revoked keys remain valid for at most this long. */
const age_ms_max = 60_000
/** Bounds the entries for FSP names that a message invents. */
const renewal_ms_min = 1_000
const entries_max = 10_000

export function openKeyring(lookUp: KeysOf): Keyring {
  const entries = new LRUCache<string, CachedKeys>({ max: entries_max })
  const asking = new Map<string, Promise<CachedKeys | undefined>>()

  async function ask(fspId: string): Promise<CachedKeys | undefined> {
    try {
      const entry = { keys: await lookUp(fspId), asked_ms: performance.now() }
      entries.set(fspId, entry)
      return entry
    } catch {
      return undefined
    }
  }

  function askOnce(fspId: string): Promise<CachedKeys | undefined> {
    const open = asking.get(fspId) ?? ask(fspId).finally(() => asking.delete(fspId))
    asking.set(fspId, open)
    return open
  }

  return {
    async keysOf(fspId, kid) {
      const known = entries.get(fspId)
      const age_ms = known === undefined ? Infinity : performance.now() - known.asked_ms
      if (known !== undefined && age_ms <= age_ms_max) {
        const serves = known.keys.some((key) => kid === undefined || key.kid === kid)
        if (serves || age_ms < renewal_ms_min) return known.keys
      }
      return (await askOnce(fspId))?.keys
    },
  }
}

/** Reads the hub's published keys. Rejects when the answer holds no keys. */
export async function hubKeys(transport: Transport): Promise<readonly VerificationKey[]> {
  const answer = await transport.request({
    method: 'GET',
    path: '/.well-known/jwks.json',
    headers: { accept: 'application/json' },
    body: undefined,
  })
  if (answer?.status !== 200) throw new Error('the hub does not publish its keys')
  return readJwks(JSON.parse(answer.body.toString()))
}

/**
 * The keys of a JWK set (RFC 7517 5) that can verify; others are skipped. Rejects for a malformed
 * set.
 */
export async function readJwks(set: unknown): Promise<readonly VerificationKey[]> {
  const list = (set as { readonly keys?: unknown } | null)?.keys
  if (!Array.isArray(list)) throw new TypeError('not a JWK set')
  const jwks = list.filter((jwk): jwk is object => typeof jwk === 'object' && jwk !== null)
  const readings = await Promise.all(jwks.map((jwk) => readPublicKey(jwk, 'sig')))
  return readings.flatMap((reading) =>
    'fault' in reading
      ? []
      : [{ kid: reading.kid, key: reading.key, validFrom: undefined, validTo: undefined }],
  )
}
