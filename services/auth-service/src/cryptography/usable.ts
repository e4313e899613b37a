/** Finds a key for an action, with its provider, if it may be used for it now. */
import type { CryptoProvider, PrivateKey, Secret } from '@causeway/keys/provider'
import type { Queries } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { unavailable, type Adapters } from './adapters.ts'
import { reasonAgainst, type actions } from './domain/managed-key.ts'
import { keyOf, type UsableKey } from './store.ts'

export interface Usable {
  readonly key: UsableKey
  readonly provider: CryptoProvider
}

export async function usableKey(
  { db, providers }: { readonly db: Queries; readonly providers: Adapters },
  id: string,
  action: keyof typeof actions,
): Promise<Usable | RefusedCommand> {
  const key = await keyOf(db, id)
  if (key === undefined) return refuse('KEY_UNKNOWN', `key ${id}`)
  const refused = reasonAgainst(key, action, new Date())
  if (refused !== undefined) return refused
  const provider = providers.of(key.adapter)
  return provider === undefined ? unavailable(key.adapter) : { key, provider }
}

/** Throws for a key pair, which is a bug: its definition has another type. */
export function secretOf({ id, material, type }: UsableKey): Secret {
  if (type === 'EC') throw new Error(`the key ${id} is a pair`)
  return { id, material, type }
}

/** Throws for a secret key, which is a bug: its definition has another type. */
export function privateKeyOf({ id, material, curve }: UsableKey): PrivateKey {
  if (curve === null) throw new Error(`the key ${id} is no pair`)
  return { id, material, curve }
}
