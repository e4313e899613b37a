/**
 * Answers from memory that are never older than a bound, each counted from the moment at which it was
 * asked for. A question without an answer is not remembered.
 */
import { readThrough, type ReadThroughOptions } from '@causeway/runtime'

export interface Aged<Value> {
  /** From memory alone, and young enough. */
  peek(key: string): Value | undefined
  /** Asked now, one question for all who ask at the same time; keys without a value are left out. */
  ask(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>
  /** An answer to a question that was asked before is not kept either. */
  forget(key: string): void
}

export interface AgedOptions<Value> extends ReadThroughOptions<Value> {
  readonly age_max_ms: number
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number
}

interface Dated<Value> {
  readonly value: Value
  readonly asked_ms: number
}

export function aged<Value>(options: AgedOptions<Value>): Aged<Value> {
  const { load, entries_max, age_max_ms, clock } = options
  const cache = readThrough<Dated<Value>>({
    entries_max,
    async load(keys) {
      const asked_ms = clock()
      const answer = await load(keys)
      return new Map([...answer].map(([key, value]) => [key, { value, asked_ms }]))
    },
  })
  return {
    peek(key) {
      const dated = cache.peek(key)
      return dated !== undefined && clock() - dated.asked_ms < age_max_ms ? dated.value : undefined
    },
    async ask(keys) {
      for (const key of keys) if (cache.peek(key) !== undefined) cache.forget(key)
      const answer = await cache.get(keys)
      return new Map([...answer].map(([key, { value }]) => [key, value]))
    },
    forget: (key) => cache.forget(key),
  }
}
