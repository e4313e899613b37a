/**
 * Spreads over time what one FSP sends at once, so that no other FSP waits behind it. An FSP may send a
 * few requests at once and then at twice its recent rate, or a hundred per second; one that floods the
 * hub has the rate of floods. What exceeds that waits for its turn, at most a second. An FSP that is
 * alone waits for nothing.
 */
import { LRUCache } from 'lru-cache'
import type { FloodRate } from './flood-rate.ts'
import type { Floods } from './floods.ts'

export interface Pacing {
  /**
   * The time until the turn of a request that arrives now, in milliseconds: 0 for most. Infinity: its
   * turn is too far away, and it must be refused. Otherwise it counts as sent.
   */
  wait_ms(fspId: string): number
}

/** Requests at once. */
const burst = 8
/** Per second. */
const rate_min = 100
/** How many times its recent rate an FSP may send. */
const growth = 2
const wait_ms_max = 1_000
const fsps_max = 10_000

export function openPacing(
  floods: Pick<Floods, 'has' | 'count' | 'rateOf' | 'isAlone'>,
  floodRate: Pick<FloodRate, 'current'>,
  now_ms: () => number,
): Pacing {
  /** When the FSP would be back at its rate, if it sent nothing more (as in GCRA, ITU-T I.371). */
  const due_ms = new LRUCache<string, number>({ max: fsps_max })

  function rateOf(fspId: string): number {
    if (floods.has(fspId)) return floodRate.current() / floods.count()
    return Math.max(rate_min, growth * floods.rateOf(fspId))
  }

  return {
    wait_ms(fspId) {
      if (floods.isAlone(fspId)) return 0
      const now = now_ms()
      const each_ms = 1_000 / rateOf(fspId)
      const last_ms = due_ms.get(fspId) ?? now
      // Also when the clock was set back.
      const begun_ms = last_ms > now + wait_ms_max + burst * each_ms ? now : Math.max(last_ms, now)
      const wait_ms = Math.max(begun_ms - (burst - 1) * each_ms - now, 0)
      if (wait_ms > wait_ms_max) return Infinity
      due_ms.set(fspId, begun_ms + each_ms)
      return wait_ms
    },
  }
}
