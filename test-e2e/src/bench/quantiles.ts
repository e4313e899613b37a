/** Summarizes the times of many payments as four numbers. */

export interface Quantiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Nearest rank; in tenths of the samples' unit. All are 0 when there are no samples. */
export function quantiles(samples: readonly number[]): Quantiles {
  const sorted = Float64Array.from(samples).sort()
  const at = (share: number) =>
    Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) * 10) / 10
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}
