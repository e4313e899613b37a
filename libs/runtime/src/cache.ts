/**
 * A bounded cache that is read through: hits come from memory, misses are asked once, and nothing
 * that was known before a `forget` comes back after it.
 */

export interface ReadThroughOptions<Value> {
  /** Asks for several keys at once; a key without a value is left out of the answer. */
  readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  /** Beyond this many entries the one that was read longest ago is dropped. */
  readonly entries_max: number
}

export interface ReadThrough<Value> {
  /** Keys without a value are left out of the answer. Rejects when the load of a miss does. */
  get(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>
  /** What memory holds, without asking. */
  peek(key: string): Value | undefined
  /** Like `get`, but asks for every key. */
  fresh(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>
  forget(key: string): void
  clear(): void
}

type Load<Value> = Promise<ReadonlyMap<string, Value>>

export function readThrough<Value>(options: ReadThroughOptions<Value>): ReadThrough<Value> {
  /** In the order in which they were read, the oldest first. */
  const entries = new Map<string, Value>()
  /** The load whose answer for the key will be kept: the last one begun, if nothing was forgotten. */
  const loads = new Map<string, Load<Value>>()

  function hit(key: string): Value | undefined {
    const value = entries.get(key)
    if (value === undefined) return undefined
    entries.delete(key)
    entries.set(key, value)
    return value
  }

  function begin(keys: readonly string[]): Load<Value> {
    const load = options.load(keys)
    for (const key of keys) loads.set(key, load)
    load.then(
      (answer) => keep(keys, load, answer),
      () => {
        for (const key of keys) if (loads.get(key) === load) loads.delete(key)
      },
    )
    return load
  }

  function keep(keys: readonly string[], load: Load<Value>, answer: ReadonlyMap<string, Value>) {
    for (const key of keys) {
      if (loads.get(key) !== load) continue
      loads.delete(key)
      entries.delete(key)
      const value = answer.get(key)
      if (value !== undefined) entries.set(key, value)
    }
    for (const oldest of entries.keys()) {
      if (entries.size <= options.entries_max) break
      entries.delete(oldest)
    }
  }

  async function get(keys: readonly string[]): Promise<ReadonlyMap<string, Value>> {
    const found = new Map<string, Value>()
    const awaited = new Map<string, Load<Value>>()
    const misses: string[] = []
    for (const key of new Set(keys)) {
      const value = hit(key)
      if (value !== undefined) {
        found.set(key, value)
        continue
      }
      const load = loads.get(key)
      if (load === undefined) misses.push(key)
      else awaited.set(key, load)
    }
    if (misses.length > 0) {
      const load = begin(misses)
      for (const key of misses) awaited.set(key, load)
    }
    await Promise.all(awaited.values())
    for (const [key, load] of awaited) {
      const value = (await load).get(key)
      if (value !== undefined) found.set(key, value)
    }
    return found
  }

  return {
    get,
    peek: hit,
    fresh: (keys) => begin([...new Set(keys)]),
    forget(key) {
      entries.delete(key)
      loads.delete(key)
    },
    clear() {
      entries.clear()
      loads.clear()
    },
  }
}
