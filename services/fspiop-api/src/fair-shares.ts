/**
 * Who is turned away when not all can be let in. What can be let in is shared so that no FSP gets more
 * while another that asks for as much gets less (max-min fairness): FSPs that ask for less than an equal
 * share get all of it, and what is too much is taken from those that ask for more.
 */

export interface FairShares {
  /** The FSP asks; true when this message is let in. */
  asks(fspId: string): boolean
  /** Ends an interval; how many messages per second all FSPs asked for, over the last intervals. */
  ended(length_ms: number): number
  /**
   * From here on so many messages per second are let in; Infinity: all of them. It is more where that is
   * less than small FSPs ask for, and no more than the hub did before: then too much is not their doing.
   */
  letIn(rate: number): void
}

interface Asking {
  /** In the interval that goes on: asked for, and let in. */
  count: number
  entered: number
  /** Per second, over the last intervals. */
  rate: number
  /** Which part of its messages is let in. */
  part: number
  /** A message is let in for each whole one. */
  credit: number
}

/** How much an interval of this length counts beside those before it. */
const weight = 0.3
const weighed_ms = 100
/** The same for what was let in, which tells what the hub can do: some seconds. */
const steady_weight = 0.03
/** An FSP is small that asks for less than this part of the average. */
const small = 0.5
/** How many times what it asked for lately a small FSP may ask for in an interval. */
const burst = 1.3
/**
 * Messages that an FSP has to spare when no longer all of its messages are let in: one that asks now and
 * then is not refused because shares fell for a moment.
 */
const spare = 2
/** Messages per second below which an FSP is forgotten. */
const forgotten_below = 0.01

/** @param firstPart the part of a new FSP's messages that is let in until the interval ends */
export function openFairShares(firstPart = 1): FairShares {
  const fsps = new Map<string, Asking>()
  let entered = 0
  return {
    asks(fspId) {
      let asking = fsps.get(fspId)
      if (asking === undefined) {
        asking = { count: 0, entered: 0, rate: 0, part: firstPart, credit: spare }
        fsps.set(fspId, asking)
      }
      asking.count += 1
      asking.credit += asking.part
      if (asking.credit < 1) return false
      asking.credit -= 1
      asking.entered += 1
      return true
    },
    ended(length_ms) {
      const fresh = freshness(length_ms)
      let offered = 0
      let enteredNow = 0
      for (const [fspId, asking] of fsps) {
        const perSecond = (asking.count * 1_000) / length_ms
        asking.rate += fresh * (perSecond - asking.rate)
        offered += asking.rate
        enteredNow += asking.entered
        asking.count = 0
        asking.entered = 0
        if (asking.rate < forgotten_below) fsps.delete(fspId)
      }
      const steady = 1 - (1 - steady_weight) ** (length_ms / weighed_ms)
      entered += steady * ((enteredNow * 1_000) / length_ms - entered)
      return offered
    },
    letIn(rate) {
      const rates = [...fsps.values()].map((asking) => asking.rate)
      const least = rate === Infinity ? 0 : Math.min(askedBySmall(rates), entered)
      const share = equalShare(rates, Math.max(rate, least))
      for (const asking of fsps.values()) {
        asking.part = Math.min(share / asking.rate, 1)
        if (asking.part === 1) asking.credit = Math.max(asking.credit, spare)
      }
    },
  }
}

/** How much an interval counts in an average over the last ones, from 0 to 1. */
export function freshness(length_ms: number): number {
  return 1 - (1 - weight) ** (length_ms / weighed_ms)
}

/** What lets all small FSPs in, and of the others as much as of the largest of them. */
function askedBySmall(rates: readonly number[]): number {
  const average = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  const ofSmall = rates.filter((rate) => rate < small * average)
  if (ofSmall.length === 0) return 0
  const largest = burst * Math.max(...ofSmall)
  return rates.reduce((sum, rate) => sum + Math.min(rate, largest), 0)
}

/**
 * The share at which FSPs that ask at these rates are let in when this is let in of all of them: each
 * gets what it asks for, but no more than the share. Infinite when all of it is let in.
 */
export function equalShare(rates: readonly number[], letIn: number): number {
  let left = letIn
  const rising = [...rates].sort((a, b) => a - b)
  for (const [at, rate] of rising.entries()) {
    const share = left / (rising.length - at)
    if (share < rate) return share
    left -= rate
  }
  return Infinity
}
