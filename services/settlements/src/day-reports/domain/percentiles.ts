/** Percentiles of durations that are counted by their length. */

export interface Counted {
  readonly duration_ms: number
  readonly count: number
}

export interface Percentiles {
  readonly count: number
  /** Null: nothing was measured. */
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
}

/** By nearest rank: the shortest duration that so many percent did not exceed. */
export function percentilesOf(counted: readonly Counted[]): Percentiles {
  const byDuration = new Map<number, number>()
  for (const { duration_ms, count } of counted) {
    byDuration.set(duration_ms, (byDuration.get(duration_ms) ?? 0) + count)
  }
  const ordered = [...byDuration].toSorted(([a], [b]) => a - b)
  const total = ordered.reduce((sum, [, count]) => sum + count, 0)
  const at = (percent: number): number | null => {
    let seen = 0
    for (const [duration_ms, count] of ordered) {
      seen += count
      if (seen * 100 >= percent * total) return duration_ms
    }
    return null
  }
  return { count: total, p50_ms: at(50), p95_ms: at(95), p99_ms: at(99) }
}
