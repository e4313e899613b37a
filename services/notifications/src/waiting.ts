/**
 * For which FSPs something is parked, as far as this process knows: what it parks itself it knows at
 * once, what others park when it looks. While there is nothing, it looks less often.
 */

export interface Waiting {
  /** False when surely nothing is parked for the FSP by this process, or by any before its last look. */
  mayHaveParked(fspId: string): boolean
  /** Something was parked for these. */
  noteParked(fspIds: readonly string[]): void
  /** Something may have been parked for any FSP. */
  invalidate(): void
  /** The FSPs for which something is parked; none: the answer is known for a while. */
  refresh(now_ms: number): Promise<readonly string[]>
  /** Whether nothing was parked at the last look, and that was not long ago. */
  isQuiet(now_ms: number): boolean
}

/** What another process has parked and left is found so much later. */
const quiet_ms = 1_000

/**
 * Moments are of a clock that nobody sets.
 *
 * @param read asks the database for them
 */
export function openWaiting(read: () => Promise<readonly string[]>): Waiting {
  /** undefined: any. */
  let known: ReadonlySet<string> | undefined
  /** Since the last look began. */
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
