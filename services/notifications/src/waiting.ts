/**
 * The FSPs with parked notifications, as known to this process: its own parking is known at once, that
 * of other processes at the next refresh. While nothing is parked, it refreshes less often.
 */

export interface ParkedFsps {
  /** False when nothing is parked for the FSP by this process, or by any before the last refresh. */
  mayHaveParked(fspId: string): boolean
  /** Notifications were parked for these FSPs. */
  noteParked(fspIds: readonly string[]): void
  /** Notifications may have been parked for any FSP. */
  invalidate(): void
  /** Reads the FSPs with parked notifications. An empty result is cached for `quiet_ms`. */
  refresh(now_ms: number): Promise<readonly string[]>
  /** Whether nothing was parked at the last refresh, at most `quiet_ms` ago. */
  isQuiet(now_ms: number): boolean
}

/** The delay until notifications parked by another process are found. */
const quiet_ms = 1_000

/**
 * Times are of a monotonic clock.
 *
 * @param read reads them from the database
 */
export function openWaiting(read: () => Promise<readonly string[]>): ParkedFsps {
  /** Undefined: not known yet. */
  let known: ReadonlySet<string> | undefined
  /** Added since the last refresh began. */
  let added: Set<string> | undefined
  let quietUntil_ms = 0

  return {
    mayHaveParked: (fspId) =>
      known === undefined || added === undefined || known.has(fspId) || added.has(fspId),
    noteParked(fspIds) {
      for (const fspId of fspIds) added?.add(fspId)
      if (fspIds.length > 0) quietUntil_ms = 0
    },
    invalidate() {
      added = undefined
      quietUntil_ms = 0
    },
    async refresh(now_ms) {
      known = known && added && new Set([...known, ...added])
      added = new Set()
      quietUntil_ms = now_ms + quiet_ms
      const found = await read()
      known = new Set(found)
      if (found.length > 0) quietUntil_ms = 0
      return found
    },
    isQuiet: (now_ms) => now_ms < quietUntil_ms,
  }
}
