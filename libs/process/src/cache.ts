/**
 * A bounded read-through cache: hits are read from memory, misses are loaded once, and no value from
 * before a `forget` is returned after it.
 */

export interface ReadThroughOptions<Value> {
  /** Loads several keys at once; a key without a value is left out of the result. */
  readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  /** Beyond this many entries the one that was read longest ago is removed. */
  readonly entries_max: number
}

export interface ReadThrough<Value> {
  /** Keys without a value are left out of the result. Rejects when the load of a miss does. */
  get(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>
  /** The cached value, without a load. */
  peek(key: string): Value | undefined
  /** Like `get`, but loads every key. */
  fresh(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>
  forget(key: string): void
  clear(): void
}

type Load<Value> = Promise<ReadonlyMap<string, Value>>

interface Memory<Value> {
  /** In the order in which they were read, the oldest first. */
  readonly entries: Map<string, Value>
  /**
   * The load whose result for the key will be stored: the last one begun, if nothing was forgotten.
   */
  readonly loads: Map<string, Load<Value>>
}

export function readThrough<Value>(options: ReadThroughOptions<Value>): ReadThrough<Value> {
  const memory: Memory<Value> = { entries: new Map(), loads: new Map() }
  const { entries, loads } = memory
  return {
    get: (keys) => get(options, memory, new Set(keys)),
    peek: (key) => hit(memory, key),
    fresh: (keys) => begin(options, memory, [...new Set(keys)]),
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

async function get<Value>(
  options: ReadThroughOptions<Value>,
  memory: Memory<Value>,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>()
  const awaited = new Map<string, Load<Value>>()
  const misses: string[] = []
  for (const key of keys) {
    const value = hit(memory, key)
    const load = memory.loads.get(key)
    if (value !== undefined) found.set(key, value)
    else if (load !== undefined) awaited.set(key, load)
    else misses.push(key)
  }
  if (misses.length > 0) {
    const load = begin(options, memory, misses)
    for (const key of misses) awaited.set(key, load)
  }
  if (awaited.size === 0) return found
  await Promise.all(new Set(awaited.values()))
  for (const [key, load] of awaited) {
    const value = (await load).get(key)
    if (value !== undefined) found.set(key, value)
  }
  return found
}

function hit<Value>({ entries }: Memory<Value>, key: string): Value | undefined {
  const value = entries.get(key)
  if (value === undefined) return undefined
  entries.delete(key)
  entries.set(key, value)
  return value
}

function begin<Value>(
  options: ReadThroughOptions<Value>,
  memory: Memory<Value>,
  keys: readonly string[],
): Load<Value> {
  const load = options.load(keys)
  for (const key of keys) memory.loads.set(key, load)
  load.then(
    (answer) => keep(memory, keys, load, answer, options.entries_max),
    () => {
      for (const key of keys) if (memory.loads.get(key) === load) memory.loads.delete(key)
    },
  )
  return load
}

function keep<Value>(
  { entries, loads }: Memory<Value>,
  keys: readonly string[],
  load: Load<Value>,
  answer: ReadonlyMap<string, Value>,
  entries_max: number,
): void {
  for (const key of keys) {
    if (loads.get(key) !== load) continue
    loads.delete(key)
    entries.delete(key)
    const value = answer.get(key)
    if (value !== undefined) entries.set(key, value)
  }
  for (const oldest of entries.keys()) {
    if (entries.size <= entries_max) break
    entries.delete(oldest)
  }
}
