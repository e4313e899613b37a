/**
 * A cache with a maximum age per entry, counted from the moment at which its load began. Absent
 * values are not cached.
 */
import { readThrough, type ReadThroughOptions } from '@causeway/process'

export interface TtlCache<Value> {
  /** The cached value, if it has not expired. */
  peek(key: string): Value | undefined
  /** Loads the keys now; concurrent calls share one load. Keys without a value are left out. */
  refresh(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>
  /** The result of a load that is already in progress is not cached either. */
  forget(key: string): void
}

export interface TtlCacheOptions<Value> extends ReadThroughOptions<Value> {
  readonly age_max_ms: number
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

interface CacheEntry<Value> {
  readonly value: Value
  readonly requested_ms: number
}

export function ttlCache<Value>(options: TtlCacheOptions<Value>): TtlCache<Value> {
  const { load, entries_max, age_max_ms, clock } = options
  const cache = readThrough<CacheEntry<Value>>({
    entries_max,
    async load(keys) {
      const requested_ms = clock()
      const answer = await load(keys)
      return new Map([...answer].map(([key, value]) => [key, { value, requested_ms }]))
    },
  })
  return {
    peek(key) {
      const dated = cache.peek(key)
      return dated !== undefined && clock() - dated.requested_ms < age_max_ms
        ? dated.value
        : undefined
    },
    async refresh(keys) {
      for (const key of keys) if (cache.peek(key) !== undefined) cache.forget(key)
      const answer = await cache.get(keys)
      return new Map([...answer].map(([key, { value }]) => [key, value]))
    },
    forget: (key) => cache.forget(key),
  }
}
