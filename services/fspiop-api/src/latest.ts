/** A map with a bound: beyond it the entry that was set longest ago is evicted. */

export interface Latest<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

export function latest<Value>(entries_max: number): Latest<Value> {
  const entries = new Map<string, Value>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= entries_max) return
        entries.delete(oldest)
      }
    },
  }
}
