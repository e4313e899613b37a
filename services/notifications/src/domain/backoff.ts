/** The pause before a retry: it doubles up to a bound, with a jitter of 20 %. */

export interface BackoffBounds {
  readonly first_ms: number
  readonly max_ms: number
}

const jitter = 0.2

/** The pause after that many attempts; `chance` (0 to 1) gives the jitter. */
export function pause_ms(attempts: number, chance: number, bounds: BackoffBounds): number {
  const doublings = Math.min(Math.max(attempts - 1, 0), 30)
  const even_ms = Math.min(bounds.first_ms * 2 ** doublings, bounds.max_ms)
  return Math.round(even_ms * (1 - jitter + 2 * jitter * chance))
}
