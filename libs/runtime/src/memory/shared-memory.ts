/**
 * What the processes of a service share while they run and may lose at any time: how much each
 * admits, and answers that are expensive to get. Correctness does not depend on it. Alone in one
 * process, or while the shared store is away, each process goes by its own numbers.
 */

/**
 * What is admitted and in work here under some names, sent to the others about ten times a second.
 */
export interface Use {
  /** For the names with news: all that was admitted since the start. */
  admitted(): ReadonlyMap<string, number>
  /** How many are at work now, by name. */
  atWork(): ReadonlyMap<string, number>
  /** What the others have admitted since the last time, and have in work. */
  learn(name: string, others: OthersUse): void
  /** Nothing is known of the others any more. */
  alone(): void
}

export interface OthersUse {
  readonly admitted: number
  readonly atWork: number
}

export interface SharedMemory {
  /** Whether surely no other process shares what this one does. */
  readonly isSole: boolean
  /** @param what the bounds that it is about; processes that name the same share them */
  shareUse(what: string, use: Use): Sharing
  /**
   * The values that are cached, each within a bound, and none without a cache: then every key is a
   * miss.
   */
  recall(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Not waited for: what is not remembered is asked for again. */
  remember(entries: ReadonlyMap<string, string>, age_max_ms: number): void
  /** Not waited for: what is not forgotten lives on until its age. */
  forget(keys: readonly string[]): void
}

export interface Sharing {
  stop(): void
}

const nothing: ReadonlyMap<string, string> = new Map()

/** No other process is there. */
export const aloneInMemory: SharedMemory = {
  isSole: true,
  shareUse: () => ({ stop: () => undefined }),
  recall: () => Promise.resolve(nothing),
  remember: () => undefined,
  forget: () => undefined,
}

/** Other processes may be there, and no memory is shared with them. */
export const nothingShared: SharedMemory = { ...aloneInMemory, isSole: false }
