/**
 * Recent oracle answers that other processes of this service received, which saves a call. An
 * answer is dropped when the party changes here, and expires like any other cached answer.
 */
import type { SharedMemory } from '@causeway/runtime'
import type { Association } from '../domain/match.ts'

export interface SharedAnswers {
  /** Empty if there is no answer, or none in time. */
  recall(key: string): Promise<readonly Association[]>
  remember(key: string, associations: readonly Association[]): void
  forget(keys: readonly string[]): void
}

/** @param name of the oracle: id and address, so that a new address is a new name */
export function openSharedAnswers(
  shared: SharedMemory,
  name: string,
  age_max_ms: number,
): SharedAnswers {
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
