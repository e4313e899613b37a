/**
 * Memory that the processes of a service share and may lose at any time: how much each admits, and
 * results that are expensive to get. Correctness does not depend on it. In a single process, or while the
 * shared store is away, each process uses its own counts.
 */

/**
 * The counts of this process by name, admitted and in work, sent to the others about ten times a second.
 */
export interface Use {
  /** For names with changes: the number admitted since the start. */
  admitted(): ReadonlyMap<string, number>
  /** The number in work now, by name. */
  atWork(): ReadonlyMap<string, number>
  /** What the others have admitted since the last call, and have in work. */
  learn(name: string, others: OthersUse): void
  /** The counts of the others are unknown from now on. */
  alone(): void
}

export interface OthersUse {
  readonly admitted: number
  readonly atWork: number
}

export interface SharedMemory {
  /** Whether certainly no other process shares this memory. */
  readonly isSole: boolean
  /** @param what name of the bounds; processes that use the same name share them */
  shareUse(what: string, use: Use): Sharing
  /**
   * The cached values, each read within a bound on time; without a cache every key is a miss.
   */
  recall(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Not waited for: a value that was not stored is loaded again. */
  remember(entries: ReadonlyMap<string, string>, age_max_ms: number): void
  /** Not waited for: a value that was not removed remains until it expires. */
  forget(keys: readonly string[]): void
}

export interface Sharing {
  stop(): void
}

const nothing: ReadonlyMap<string, string> = new Map()

/** For a single process. */
export const aloneInMemory: SharedMemory = {
  isSole: true,
  shareUse: () => ({ stop: () => undefined }),
  recall: () => Promise.resolve(nothing),
  remember: () => undefined,
  forget: () => undefined,
}

/** For one of several processes that share no memory. */
export const nothingShared: SharedMemory = { ...aloneInMemory, isSole: false }
