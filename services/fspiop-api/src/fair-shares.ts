/**
 * Divides the admitted rate among the FSPs by max-min fairness: an FSP that sends less than an
 * equal share is refused nothing, and the excess is refused to those that send more.
 */

export interface FairShares {
  /** Counts a message of the FSP; true when it is admitted. */
  admits(fspId: string): boolean
  /** Ends an interval; returns the messages per second of all FSPs, over the last intervals. */
  endInterval(length_ms: number): number
  /**
   * The number of messages per second to admit from now on; Infinity: all. Small FSPs are admitted
   * even above that rate, up to the rate admitted before, because they do not cause the overload.
   */
  setRate(rate: number): void
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
/**
 * The same for the admitted rate, an estimate of the hub's capacity: averages over some seconds.
 */
const steady_weight = 0.03
/** A small FSP sends less than this fraction of the average. */
const small = 0.5
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
      const steady = 1 - (1 - steady_weight) ** (length_ms / weighed_ms)
      admitted += steady * ((admittedNow * 1_000) / length_ms - admitted)
      return offered
    },
    setRate(rate) {
      const rates = [...fsps.values()].map((sender) => sender.rate)
      const least = rate === Infinity ? 0 : Math.min(demandOfSmall(rates), admitted)
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

/** The rate that admits all small FSPs, and of the others as much as of the largest of them. */
function demandOfSmall(rates: readonly number[]): number {
  const average = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  const ofSmall = rates.filter((rate) => rate < small * average)
  if (ofSmall.length === 0) return 0
  const largest = burst * Math.max(...ofSmall)
  return rates.reduce((sum, rate) => sum + Math.min(rate, largest), 0)
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
