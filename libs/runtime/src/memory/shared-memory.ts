/**
 * What the processes of a service tell each other while they run and may forget at any time: how much
 * each lets in, and answers that are dear to get. Nothing true depends on it. Alone in one process, or
 * while the place of it is away, each process goes by what it knows itself.
 */

/** What is let in and at work here under some names, told to the others some ten times a second. */
export interface Use {
  /** Of the names about which there is something to tell: all that was let in since the start. */
  admitted(): ReadonlyMap<string, number>
  /** How many are at work now, by name. */
  atWork(): ReadonlyMap<string, number>
  /** What the others have let in since the last time, and have at work. */
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
   * Those that are remembered, each within a bound and none when it is not kept: then it is as if none
   * was remembered.
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
