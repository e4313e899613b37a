/**
 * Divides the admitted rate among the FSPs by max-min fairness: an FSP that sends less than an
 * equal share is refused nothing, and the excess is refused to those that send more.
 */

export interface FairShares {
  /** Counts a message of the FSP; true when it is admitted. */
  admits(fspId: string): boolean
  /** Ends an interval; returns the messages per second of all FSPs, over the last intervals. */
  endInterval(length_ms: number): number
  /** The same of each FSP. */
  rates(): Iterable<readonly [fspId: string, rate: number]>
  /** Messages per second admitted, over some seconds. */
  readonly admitted: number
  /**
   * The number of messages per second to admit from now on; Infinity: all. Small FSPs are admitted
   * even above that rate, up to `capacity`, because they do not cause the overload.
   * @param capacity messages per second that the hub has shown that it can process
   */
  setRate(rate: number, smallFsps: ReadonlySet<string>, capacity: number): void
}

interface Sender {
  /** Messages in the current interval: sent, and admitted. */
  count: number
  admitted: number
  /** Messages per second, over the last intervals. */
  rate: number
  /** The fraction of its messages that is admitted. */
  fraction: number
  /** A message takes 1 to be admitted. */
  credit: number
}

/** The weight of an interval of this length in a moving average. */
const weight = 0.3
const weighed_ms = 100
/** The same in averages over some seconds. */
const steady_weight = 0.03
/** A small FSP may send this multiple of its recent rate in an interval. */
const burst = 1.3
/**
 * The credit of an FSP when it begins to be limited, so that an FSP that sends rarely is not
 * refused because the shares fell for a moment.
 */
const spare = 2
/** Messages per second; an FSP below this rate is removed. */
const forgotten_below = 0.01

/** @param initialFraction the fraction of a new FSP's messages to admit until the interval ends */
export function openFairShares(initialFraction = 1): FairShares {
  const fsps = new Map<string, Sender>()
  let admitted = 0
  return {
    admits(fspId) {
      let sender = fsps.get(fspId)
      if (sender === undefined) {
        sender = { count: 0, admitted: 0, rate: 0, fraction: initialFraction, credit: spare }
        fsps.set(fspId, sender)
      }
      sender.count += 1
      sender.credit += sender.fraction
      if (sender.credit < 1) return false
      sender.credit -= 1
      sender.admitted += 1
      return true
    },
    endInterval(length_ms) {
      const fresh = freshness(length_ms)
      let offered = 0
      let admittedNow = 0
      for (const [fspId, sender] of fsps) {
        const perSecond = (sender.count * 1_000) / length_ms
        sender.rate += fresh * (perSecond - sender.rate)
        offered += sender.rate
        admittedNow += sender.admitted
        sender.count = 0
        sender.admitted = 0
        if (sender.rate < forgotten_below) fsps.delete(fspId)
      }
      admitted += steadiness(length_ms) * ((admittedNow * 1_000) / length_ms - admitted)
      return offered
    },
    *rates() {
      for (const [fspId, { rate }] of fsps) yield [fspId, rate]
    },
    get admitted() {
      return admitted
    },
    setRate(rate, smallFsps, capacity) {
      const rates = [...fsps.values()].map((sender) => sender.rate)
      const largest = Math.max(0, ...[...smallFsps].map((fspId) => fsps.get(fspId)?.rate ?? 0))
      const least = rate === Infinity ? 0 : Math.min(demandUpTo(burst * largest, rates), capacity)
      const share = equalShare(rates, Math.max(rate, least))
      for (const sender of fsps.values()) {
        sender.fraction = Math.min(share / sender.rate, 1)
        if (sender.fraction === 1) sender.credit = Math.max(sender.credit, spare)
      }
    },
  }
}

/** The weight of an interval in an average over the last ones, from 0 to 1. */
export function freshness(length_ms: number): number {
  return 1 - (1 - weight) ** (length_ms / weighed_ms)
}

/** The same in an average over some seconds. */
export function steadiness(length_ms: number): number {
  return 1 - (1 - steady_weight) ** (length_ms / weighed_ms)
}

/** The rate that admits of each FSP as much as this. */
function demandUpTo(share: number, rates: readonly number[]): number {
  return rates.reduce((sum, rate) => sum + Math.min(rate, share), 0)
}

/**
 * The share that divides `total` among FSPs that send at these rates: each gets its own rate, but
 * no more than the share. Infinity when all of it is admitted.
 */
export function equalShare(rates: readonly number[], total: number): number {
  let left = total
  const rising = [...rates].sort((a, b) => a - b)
  for (const [at, rate] of rising.entries()) {
    const share = left / (rising.length - at)
    if (share < rate) return share
    left -= rate
  }
  return Infinity
}
