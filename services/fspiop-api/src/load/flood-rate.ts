/**
 * How many requests per second are accepted from FSPs that flood the hub: at first a moderate number,
 * then slowly more while the hub stores requests as fast as before the flood, and quickly fewer while it
 * does not, but never fewer than the largest other FSP sends.
 */
import { freshness } from './fair-shares.ts'
import type { Floods } from './floods.ts'

export interface FloodRate {
  /** A request was stored; that took so long. */
  observe(stored_ms: number): void
  /** Requests per second of all floods together; Infinity without a flood. */
  current(): number
}

/** Requests per second that a flood begins with. */
const first_rate = 30
/** How many times as long storing may take, and the least difference that counts, in milliseconds. */
const longer = 1.25
const least_ms = 1
/** The factors by which the rate changes per step of 100 ms: it doubles in four seconds. */
const rise = 1.02
const fall = 0.85
const step_ms = 100
/** The weight of an interval in the usual time, which averages over some seconds. */
const usual_weight = 0.03
/** Per second, where no other FSP sends requests any more. */
const rate_min = 1

export function openFloodRate(
  floods: Pick<Floods, 'count' | 'largestOther'>,
  now_ms: () => number,
): FloodRate {
  let begun_ms = now_ms()
  let sum_ms = 0
  let stored = 0
  let recent_ms = 0
  let usual_ms = 0
  let rate = Infinity

  function update(): void {
    const passed_ms = now_ms() - begun_ms
    // A clock that was set back also ends the interval.
    if (passed_ms >= 0 && passed_ms < step_ms) return
    begun_ms += passed_ms
    const length_ms = Math.max(passed_ms, step_ms)
    if (stored > 0) recent_ms += freshness(length_ms) * (sum_ms / stored - recent_ms)
    sum_ms = 0
    stored = 0
    change(length_ms / step_ms)
  }

  function change(steps: number): void {
    if (floods.count() === 0) {
      rate = Infinity
      usual_ms += (1 - (1 - usual_weight) ** steps) * (recent_ms - usual_ms)
      return
    }
    if (rate === Infinity) return
    const isLonger = recent_ms > Math.max(longer * usual_ms, usual_ms + least_ms)
    rate = Math.max(rate * (isLonger ? fall : rise) ** steps, least())
  }

  function least(): number {
    return Math.max(floods.largestOther(), rate_min)
  }

  return {
    observe(stored_ms) {
      sum_ms += stored_ms
      stored += 1
      update()
    },
    current() {
      update()
      if (rate === Infinity && floods.count() > 0) rate = Math.max(first_rate, least())
      return rate
    },
  }
}
