/**
 * What another process of this service was told by an oracle not long ago: a call that is spared. It is
 * forgotten when the party changes here, and lives no longer than any other answer from memory.
 */
import type { SharedMemory } from '@causeway/runtime'
import type { Association } from '../domain/match.ts'

export interface Remembered {
  /** Empty when nothing is known, or not known soon enough. */
  recall(key: string): Promise<readonly Association[]>
  remember(key: string, associations: readonly Association[]): void
  forget(keys: readonly string[]): void
}

/** @param name of the oracle: its id and address, so that one that has moved is another one */
export function openRemembered(shared: SharedMemory, name: string, age_max_ms: number): Remembered {
  const keyOf = (key: string) => `oracle:${name}:${key}`
  return {
    async recall(key) {
      const text = (await shared.recall([keyOf(key)])).get(keyOf(key))
      return text === undefined ? [] : (JSON.parse(text) as readonly Association[])
    },
    remember(key, associations) {
      shared.remember(new Map([[keyOf(key), JSON.stringify(associations)]]), age_max_ms)
    },
    forget: (keys) => shared.forget(keys.map(keyOf)),
  }
}
