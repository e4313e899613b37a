/**
 * How often each FSP may ask: a bucket that fills evenly, so that short bursts pass and a flood of one
 * FSP takes nothing from the others.
 */
import { latest } from './latest.ts'

export interface Rates {
  /** Takes one from the FSP's bucket; false when it is empty. */
  allows(fspId: string, now_ms: number): boolean
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
  return {
    allows(fspId, now_ms) {
      const bucket = buckets.get(fspId) ?? { level: burst, filled_ms: now_ms }
      const gained = (Math.max(now_ms - bucket.filled_ms, 0) / 1_000) * per_s
      bucket.level = Math.min(bucket.level + gained, burst)
      bucket.filled_ms = now_ms
      buckets.set(fspId, bucket)
      if (bucket.level < 1) return false
      bucket.level -= 1
      return true
    },
  }
}
