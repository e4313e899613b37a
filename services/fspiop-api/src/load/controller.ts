/**
 * The number of messages per second to admit, so that the queue delay of admitted messages stays
 * near its bound. The controller compares the delay with the bound and with the previous delay,
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
  /** The hub has just stood still, and processes what has waited meanwhile. */
  readonly stoodStill: boolean
}

/**
 * The change of the rate per step of 100 ms, as a logarithm: for the delay above the bound, in
 * multiples of the bound.
 */
const alpha = 0.08
/** For the growth of the delay, in multiples of the bound. */
const beta = 0.5
const step_ms = 100
/**
 * A delay of twice the bound or more may last this long before anything is refused: a hub that stood still
 * for a moment (to write to the disk, to collect garbage) catches up by itself. A smaller excess may last
 * longer in proportion: a slow hub has one in each wave of requests.
 */
const pause_ms_max = 400
/**
 * A jump of the load is no pause: the offered rate exceeds this multiple of its average over some seconds.
 * Refusing then begins with the first delay above the bound, for most of the work that the admitted messages
 * cause is still to come.
 */
const jump = 1.3
/** The weight of an interval of 100 ms in that average. */
const usual_weight = 0.02
/** A hub that had less than this fraction of the offered rate was idle, and its first wave is no jump. */
const idle = 0.1
/** The fraction of the offered rate that is admitted first after a jump. */
const afterJump = 0.5
/** The largest excess that counts, in multiples of the bound. */
const excess_max = 3
/**
 * The largest change per step for the growth of the delay, the same up and down. Were it smaller up, each
 * short wave of the delay would lower the rate for long, and the delay would settle at half of its bound,
 * where batches are smaller and each payment costs more.
 */
const growth_change_max = 0.3
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
  /** How long the delay has exceeded the bound, with less weight where by less than the bound. */
  let exceeded_ms = 0
  /** Messages per second offered, over some seconds. */
  let usual = 0
  return {
    get rate() {
      return rate
    },
    update({ length_ms, queueDelay_ms, offered, processed, stoodStill }) {
      const steps = length_ms / step_ms
      const excess = Math.min((queueDelay_ms - bound_ms) / bound_ms, excess_max)
      const growth = (queueDelay_ms - last_ms) / bound_ms
      last_ms = queueDelay_ms
      exceeded_ms = excess > 0 ? exceeded_ms + Math.min(excess, 1) * length_ms : 0
      const wasIdle = usual < idle * offered
      const hasJumped = offered > jump * usual && !wasIdle && !stoodStill
      usual += (1 - (1 - usual_weight) ** steps) * (offered - usual)
      if (rate === Infinity) {
        if (hasJumped && excess > 0 && growth >= 0) rate = afterJump * offered
        else if (exceeded_ms > pause_ms_max) rate = offered
        else return
      }
      const most = growth_change_max * steps
      const change = -alpha * excess * steps + Math.max(Math.min(-beta * growth, most), -most)
      rate = Math.min(rate, headroom * offered) * Math.exp(change)
      rate = Math.max(rate, floor * processed, rate_min)
      if (rate > ample * offered && queueDelay_ms < bound_ms / 2) rate = Infinity
    },
  }
}
