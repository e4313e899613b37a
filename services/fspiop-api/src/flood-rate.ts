/**
 * How many requests per second are accepted from FSPs that flood the hub: at first as many as from the
 * largest other FSP, then slowly more while messages take hardly longer through the hub than before the
 * flood.
 */
import type { Controller } from './controller.ts'
import type { Floods } from './floods.ts'

/** How many times as long messages may take, and the least difference that counts, in milliseconds. */
const longer = 1.25
const least_ms = 4
/** The factors by which the rate changes per step of 100 ms: it doubles in four seconds. */
const rise = 1.02
const fall = 0.9
const step_ms = 100
/** The weight of an interval in the usual time through the hub, which averages over some seconds. */
const weight = 0.03
/** Per second, where no other FSP sends requests any more. */
const rate_min = 1

export function openFloodRate(
  floods: Pick<Floods, 'any' | 'largestOther'>,
): Pick<Controller, 'rate' | 'update'> {
  let rate = Infinity
  let usual_ms = 0
  return {
    get rate() {
      return rate
    },
    update({ length_ms, queueDelay_ms }) {
      const steps = length_ms / step_ms
      if (!floods.any()) {
        rate = Infinity
        usual_ms += (1 - (1 - weight) ** steps) * (queueDelay_ms - usual_ms)
        return
      }
      const least = Math.max(floods.largestOther(), rate_min)
      const isLonger = queueDelay_ms > Math.max(longer * usual_ms, least_ms)
      rate = rate === Infinity ? least : Math.max(rate * (isLonger ? fall : rise) ** steps, least)
    },
  }
}
