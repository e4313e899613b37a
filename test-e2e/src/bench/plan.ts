/**
 * The payments of a run: payer and payee of each, and which of them are measured. Those before the
 * measured ones warm everything up, those after them sustain the load until the last measured one
 * is done.
 */
import type { BenchOptions, Load } from './options.ts'

/** Payments by number, `from` included, `to` not. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface Plan {
  readonly total: number
  /**
   * Run alone, at `warmupRate`: a hub with a low rate is warm after as many payments as any other.
   */
  readonly warmup: Range
  readonly warmupRate: number
  /** Run at the full rate; the measured ones are in the middle. */
  readonly run: Range
  readonly measured: Range
}

/** Whatever the measured rate, so that the code is compiled by then. */
const warmupRate = 100
/** For services that run apart, which on few cores make no more. */
const warmupRateApart_max = 20
/** How long the full load lasts before and after the measured payments. */
const margin_s = 2

export function planOf({
  payments,
  rate,
  warmup,
  apart,
  groups = apart,
}: Pick<BenchOptions, 'payments' | 'rate' | 'warmup' | 'apart'> &
  Partial<Pick<BenchOptions, 'groups'>>): Plan {
  const margin = Math.ceil(rate * margin_s)
  const measured = { from: warmup + margin, to: warmup + margin + payments }
  const total = measured.to + margin
  return {
    total,
    warmup: { from: 0, to: warmup },
    warmupRate: groups === undefined ? warmupRate : Math.min(rate, warmupRateApart_max),
    run: { from: warmup, to: total },
    measured,
  }
}

/** Payer and payee of the n-th payment, by their numbers among the FSPs. */
export function pairOf(load: Load, fsps: number, n: number): readonly [number, number] {
  const others = fsps - 1
  if (load !== 'hot') {
    const payer = n % fsps
    return [payer, (payer + 1 + (Math.floor(n / fsps) % others)) % fsps]
  }
  if (n % 10 < 7) return [0, 1 + (n % others)]
  const payer = 1 + (n % others)
  return [payer, (payer + 1 + (Math.floor(n / others) % others)) % fsps]
}
