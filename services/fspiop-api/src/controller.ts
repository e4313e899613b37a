/**
 * The number of messages per second to admit, so that the queue delay of admitted messages stays
 * within its bound. The controller compares the delay with the bound and with the previous delay,
 * as PIE does (RFC 8033, section 4), but changes the admitted rate by factors instead of a
 * probability of refusal: the admitted rate then neither swings with the offered load nor depends
 * on the degree of overload. The capacity of the hub need not be known.
 *
 * An admitted message causes work for some seconds (a lookup is followed by a quote and a
 * transfer), so the rate changes little per step. The constants were found with the model in
 * shedding.test.ts.
 */

export interface Controller {
  /** Messages per second; Infinity while none is refused. */
  readonly rate: number
  update(interval: Interval): void
}

/** The measurements since the last update. */
export interface Interval {
  readonly length_ms: number
  readonly queueDelay_ms: number
  /** Messages per second that this controller limits. */
  readonly offered: number
  /** Messages per second that the hub processed, of all kinds. */
  readonly processed: number
}

/**
 * The change of the rate per step of 100 ms, as a logarithm: for the delay above the bound, in
 * multiples of the bound.
 */
const alpha = 0.05
/** For the growth of the delay, in multiples of the bound. */
const beta = 0.7
const step_ms = 100
/**
 * The delay may exceed the bound for this long before anything is refused: a hub that stood still for a
 * moment (to write to the disk, to collect garbage) catches up by itself.
 */
const pause_ms_max = 400
/** The largest changes per step; the rate may rise faster while the delay is small. */
const rise_max = 0.05
const rise_calm_max = 0.15
const fall_max = 0.5
/** The maximum of the rate, as a multiple of the offered rate. */
const headroom = 1.5
/** Refusing ends when the rate exceeds this multiple of the offered rate. */
const ample = 1.2
/**
 * The minimum of the rate, as a fraction of the processed rate. A lower one would hardly shorten
 * the queue, which consists of messages admitted before, and would leave the hub idle afterwards.
 */
const floor = 0.05
/** Per second, so that there are measurements. */
const rate_min = 1

export function openController(bound_ms: number): Controller {
  let rate = Infinity
  let last_ms = 0
  /** How long the delay has exceeded the bound. */
  let exceeded_ms = 0
  return {
    get rate() {
      return rate
    },
    update({ length_ms, queueDelay_ms, offered, processed }) {
      const steps = length_ms / step_ms
      const excess = Math.min((queueDelay_ms - bound_ms) / bound_ms, 3)
      const growth = (queueDelay_ms - last_ms) / bound_ms
      last_ms = queueDelay_ms
      exceeded_ms = queueDelay_ms > bound_ms ? exceeded_ms + length_ms : 0
      if (rate === Infinity) {
        if (exceeded_ms <= pause_ms_max) return
        rate = offered
      }
      const change = -alpha * excess * steps - beta * growth
      const rise = queueDelay_ms < bound_ms / 2 ? rise_calm_max : rise_max
      const bounded = Math.max(Math.min(change, rise * steps), -fall_max * steps)
      rate = Math.min(rate, headroom * offered) * Math.exp(bounded)
      rate = Math.max(rate, floor * processed, rate_min)
      if (rate > ample * offered && queueDelay_ms < bound_ms / 2) rate = Infinity
    },
  }
}
