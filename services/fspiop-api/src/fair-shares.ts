/**
 * Who is turned away when not all can be let in. What can be let in is shared so that no FSP gets more
 * while another that asks for as much gets less (max-min fairness): FSPs that ask for less than an equal
 * share get all of it, and what is too much is taken from those that ask for more.
 */

export interface FairShares {
  /** The FSP asks; true when this message is let in. */
  asks(fspId: string): boolean
  /** Ends an interval: from here on this part of all that is asked is turned away. */
  update(refused: number, length_ms: number): void
}

interface Asking {
  /** In the interval that goes on. */
  count: number
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
/** Messages per second below which an FSP is forgotten. */
const forgotten_below = 0.01

export function openFairShares(): FairShares {
  const fsps = new Map<string, Asking>()
  return {
    asks(fspId) {
      let asking = fsps.get(fspId)
      if (asking === undefined) {
        asking = { count: 0, rate: 0, part: 1, credit: 0 }
        fsps.set(fspId, asking)
      }
      asking.count += 1
      asking.credit += asking.part
      if (asking.credit < 1) return false
      asking.credit -= 1
      return true
    },
    update(refused, length_ms) {
      const fresh = 1 - (1 - weight) ** (length_ms / weighed_ms)
      for (const [fspId, asking] of fsps) {
        const perSecond = (asking.count * 1_000) / length_ms
        asking.rate += fresh * (perSecond - asking.rate)
        asking.count = 0
        if (asking.rate < forgotten_below) fsps.delete(fspId)
      }
      const rates = () => [...fsps.values()].map(({ rate }) => rate)
      const share = refused === 0 ? Infinity : equalShare(rates(), 1 - refused)
      for (const asking of fsps.values()) asking.part = Math.min(share / asking.rate, 1)
    },
  }
}

/**
 * The share at which FSPs that ask at these rates are let in with this part of the sum: each gets what it
 * asks for, but no more than the share. Infinite when all of it is let in.
 */
export function equalShare(rates: readonly number[], part: number): number {
  let left = rates.reduce((sum, rate) => sum + rate, 0) * part
  const rising = [...rates].sort((a, b) => a - b)
  for (const [at, rate] of rising.entries()) {
    const share = left / (rising.length - at)
    if (share < rate) return share
    left -= rate
  }
  return Infinity
}
