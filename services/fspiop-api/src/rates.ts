/**
 * How often each FSP may ask: a bucket that fills evenly, so that short bursts pass and a flood of one
 * FSP takes nothing from the others.
 */
import { latest } from './latest.ts'

export interface Rates {
  /** Takes so many from the FSP's bucket, one when left out; false when it holds fewer. */
  allows(fspId: string, now_ms: number, requests?: number): boolean
  /** How many each FSP was allowed since the start, or since there were too many to count. */
  admitted(): ReadonlyMap<string, number>
  /** The FSP was allowed so many elsewhere. */
  takeAway(fspId: string, count: number): void
}

export interface RateBounds {
  /** What a bucket gets every second, in the long run. */
  readonly per_s: number
  /** What a full bucket holds. */
  readonly burst: number
}

interface Bucket {
  level: number
  filled_ms: number
}

const fsps_max = 10_000

export function openRates({ per_s, burst }: RateBounds): Rates {
  /** One that is forgotten was quiet for longest: it is full, or soon would be. */
  const buckets = latest<Bucket>(fsps_max)
  const admitted = new Map<string, number>()
  return {
    allows(fspId, now_ms, requests = 1) {
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
      // No bucket goes deeper than it fills in one second: what others do never shuts an FSP out for long.
      if (bucket !== undefined) bucket.level = Math.max(bucket.level - count, -per_s)
    },
  }
}
