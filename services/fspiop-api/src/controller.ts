/**
 * How many messages per second are let in, so that what is let in waits no longer than it should. The
 * controller compares the wait with its bound and with the wait before, as PIE does (RFC 8033, section
 * 4), but changes a rate by factors instead of a part that is refused: what is let in then neither
 * swings with what is offered nor depends on how many times too much that is. The hub's speed need not
 * be known.
 *
 * What is let in makes work for some seconds (a lookup is followed by a quote and a transfer), so the
 * rate changes little per step. The constants were found with the model in shedding.test.ts.
 */

export interface Controller {
  /** Messages per second; Infinity while none is refused. */
  readonly rate: number
  update(interval: Interval): void
}

/** What was seen since the last update. */
export interface Interval {
  readonly length_ms: number
  /** How long messages waited. */
  readonly standing_ms: number
  /** Per second: what the controller is for. */
  readonly offered: number
  /** Per second: whatever was worked on, of all kinds. */
  readonly worked: number
}

/** What the rate changes by, as a logarithm, per step of 100 ms: by the wait beyond the bound, in bounds. */
const alpha = 0.05
/** By how much the wait has grown, in bounds. */
const beta = 0.7
const step_ms = 100
/** Largest changes per step; what hardly waits may rise faster. */
const rise_max = 0.05
const rise_calm_max = 0.15
const fall_max = 0.5
/** What is let in follows what is offered no farther than this many times it. */
const headroom = 1.5
/** Nothing is refused any more when this many times what is offered could be let in. */
const ample = 1.2
/**
 * Of what is worked on: what is let in at the least. Less would hardly shorten the queue, which is of
 * what was let in before, and leave the hub idle behind it.
 */
const floor = 0.05
/** Per second, so that there is something to judge by. */
const rate_min = 1

export function openController(bound_ms: number): Controller {
  let rate = Infinity
  let last_ms = 0
  return {
    get rate() {
      return rate
    },
    update({ length_ms, standing_ms, offered, worked }) {
      const steps = length_ms / step_ms
      const beyond = Math.min((standing_ms - bound_ms) / bound_ms, 3)
      const growth = (standing_ms - last_ms) / bound_ms
      last_ms = standing_ms
      if (rate === Infinity) {
        if (standing_ms <= bound_ms) return
        rate = offered
      }
      const change = -alpha * beyond * steps - beta * growth
      const rise = standing_ms < bound_ms / 2 ? rise_calm_max : rise_max
      const bounded = Math.max(Math.min(change, rise * steps), -fall_max * steps)
      rate = Math.min(rate, headroom * offered) * Math.exp(bounded)
      rate = Math.max(rate, floor * worked, rate_min)
      if (rate > ample * offered && standing_ms < bound_ms / 2) rate = Infinity
    },
  }
}
