/**
 * What goes wrong beside payments in the second half of a run, and how much the other payments may suffer
 * from it: their latencies in both halves of one run are compared, for two runs on a shared machine differ
 * by more than what is looked for.
 */
import type { BenchOptions } from './options.ts'
import type { Range } from './plan.ts'
import type { Quantiles } from './quantiles.ts'

/**
 * ill: three of five FSPs fall ill; one answers nothing, one refuses connections, one answers 500. Two of
 * three payments go to them.
 * flood: one FSP, which takes part in no payment, asks for parties as fast as it can.
 * windows: the operator closes the settlement window every second.
 */
export const disturbances = ['ill', 'flood', 'windows'] as const
export type Disturbance = (typeof disturbances)[number]

export const illnesses = ['HANGS', 'REFUSES', 'FAILS'] as const
export type Illness = (typeof illnesses)[number]

/** The first two pay each other; the others fall ill. */
const healthyFsps = 2
/** One of so many payments is between healthy FSPs. */
const healthyShare = 3
/** Requests of the flood under way at the same time. */
export const floodWidth = 64

/** Payer and payee of the n-th payment where FSPs fall ill, by their numbers. */
export function pairBesideIll(fsps: number, n: number): readonly [number, number] {
  const round = Math.floor(n / healthyShare)
  const payer = round % healthyFsps
  if (!isBesideIll(n)) return [payer, 1 - payer]
  const nth = round * (healthyShare - 1) + (n % healthyShare) - 1
  return [payer, healthyFsps + (nth % (fsps - healthyFsps))]
}

/** Whether the payee of the n-th payment is one that falls ill. */
export function isBesideIll(n: number): boolean {
  return n % healthyShare !== 0
}

/** How the FSP of that number falls ill; undefined: it stays healthy. */
export function illnessOf(fsp: number): Illness | undefined {
  return fsp < healthyFsps ? undefined : illnesses[(fsp - healthyFsps) % illnesses.length]
}

/** The payment with which the disturbance begins. */
export function middleOf({ from, to }: Range): number {
  return Math.floor((from + to) / 2)
}

/** Latencies of the payments that the disturbance is none of the business of. */
export interface Disturbed {
  readonly kind: Disturbance
  readonly before: Quantiles
  readonly during: Quantiles
  /** Of the payments that were begun within its first second. */
  readonly firstSecond: Quantiles
}

interface Limit {
  readonly name: string
  readonly of: (quantiles: Quantiles) => number
  readonly isKept: (before: number, during: number) => boolean
  readonly wanted: string
}

const within = (name: 'p50' | 'p95', more_ms: number): Limit => ({
  name,
  of: (quantiles) => quantiles[name],
  isKept: (before, during) => during <= before + more_ms,
  wanted: `at most ${more_ms} ms more`,
})
const ratio = (times: number): Limit => ({
  name: 'p99',
  of: ({ p99 }) => p99,
  isKept: (before, during) => during <= before * times,
  wanted: `at most ${times} times as much`,
})

const limits: Readonly<Record<Disturbance, readonly Limit[]>> = {
  ill: [within('p50', 15), within('p95', 40)],
  flood: [ratio(1.5)],
  windows: [ratio(1.1)],
}

/** One sentence for each limit that was not kept, in the disturbance's first second or over all of it. */
export function missedBy({ kind, before, during, firstSecond }: Disturbed): readonly string[] {
  const halves = { 'in its first second': firstSecond, 'over all of it': during }
  return limits[kind].flatMap(({ name, of, isKept, wanted }) =>
    Object.entries(halves)
      .filter(([, half]) => !isKept(of(before), of(half)))
      .map(
        ([when, half]) =>
          `${kind}: the ${name} of others was ${of(half)} ms ${when}, ${of(before)} ms before; wanted is ${wanted}`,
      ),
  )
}

/** Where FSPs fall ill, this many; otherwise what was asked for. */
export const fspsOfIll = 5

/** A flood needs an FSP of its own, the last one. */
export function payersOf({ fsps, disturb }: Pick<BenchOptions, 'fsps' | 'disturb'>): number {
  return disturb === 'flood' ? fsps - 1 : fsps
}
