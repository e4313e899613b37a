/**
 * The request rate of each FSP: a token bucket, so that short bursts pass and a flood of one FSP takes
 * nothing from the others.
 */
import { LRUCache } from 'lru-cache'

export interface Rates {
  /** Takes `requests` tokens (default 1) from the FSP's bucket; false when it has fewer. */
  allows(fspId: string, now_ms: number, requests?: number): boolean
  /** The number of admitted requests by FSP since the start, or since its count was evicted. */
  admitted(): ReadonlyMap<string, number>
  /** Subtracts requests of the FSP that other edges have admitted. */
  takeAway(fspId: string, count: number): void
}

/** Read for each request, so they may change. */
export interface RateBounds {
  /** The refill rate of a bucket. */
  readonly per_s: number
  /** The capacity of a bucket. */
  readonly burst: number
}

interface Bucket {
  level: number
  filled_ms: number
}

const fsps_max = 10_000

export function openRates(bounds: RateBounds): Rates {
  /** The least recently used bucket is evicted: it is full, or nearly. */
  const buckets = new LRUCache<string, Bucket>({ max: fsps_max })
  const admitted = new Map<string, number>()
  return {
    allows(fspId, now_ms, requests = 1) {
      const { per_s, burst } = bounds
      // A full bucket lets anything pass.
      const taken = Math.min(requests, burst)
      const bucket = buckets.get(fspId) ?? { level: burst, filled_ms: now_ms }
      const gained = (Math.max(now_ms - bucket.filled_ms, 0) / 1_000) * per_s
      bucket.level = Math.min(bucket.level + gained, burst)
      bucket.filled_ms = now_ms
      buckets.set(fspId, bucket)
      if (bucket.level < taken) return false
      bucket.level -= taken
      if (admitted.size > fsps_max) admitted.clear()
      admitted.set(fspId, (admitted.get(fspId) ?? 0) + taken)
      return true
    },
    admitted: () => admitted,
    takeAway(fspId, count) {
      const bucket = buckets.get(fspId)
      // The debt is at most one second of refill, so other edges never block an FSP for long.
      if (bucket !== undefined) bucket.level = Math.max(bucket.level - count, -bounds.per_s)
    },
  }
}
