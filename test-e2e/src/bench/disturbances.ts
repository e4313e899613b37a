/**
 * Disturbances in the second half of a run, and how much they may slow the other payments: the
 * latencies in both halves of one run are compared, because two runs on a shared machine differ by
 * more than the effect.
 */
import type { FloodCounts } from './flood.ts'
import type { BenchOptions } from './options.ts'
import type { Range } from './plan.ts'
import type { Quantiles } from './quantiles.ts'

/**
 * ill: three of five FSPs fail; one does not answer, one refuses connections, one answers 500. Two
 * of three payments go to them.
 * flood: one FSP, which takes part in no payment, asks for parties as fast as it can, again and again
 * for three seconds.
 * windows: the operator closes the settlement window every second.
 */
export const disturbances = ['ill', 'flood', 'windows'] as const
export type Disturbance = (typeof disturbances)[number]

export const failureModes = ['HANGS', 'REFUSES', 'FAILS'] as const
export type FailureMode = (typeof failureModes)[number]

/** The first two pay each other; the others fail. */
const healthyFsps = 2
/** One payment of this many is between healthy FSPs. */
const healthyShare = 3

/** Payer and payee of the n-th payment where FSPs fail, by their numbers. */
export function pairWithFailing(fsps: number, n: number): readonly [number, number] {
  const round = Math.floor(n / healthyShare)
  const payer = round % healthyFsps
  if (!isToFailing(n)) return [payer, 1 - payer]
  const nth = round * (healthyShare - 1) + (n % healthyShare) - 1
  return [payer, healthyFsps + (nth % (fsps - healthyFsps))]
}

/** Whether the payee of the n-th payment is one that fails. */
export function isToFailing(n: number): boolean {
  return n % healthyShare !== 0
}

/** How the FSP of that number fails; undefined: it stays healthy. */
export function failureModeOf(fsp: number): FailureMode | undefined {
  return fsp < healthyFsps ? undefined : failureModes[(fsp - healthyFsps) % failureModes.length]
}

/** The payment at which the disturbance begins. */
export function middleOf({ from, to }: Range): number {
  return Math.floor((from + to) / 2)
}

/** A flood lasts for this long, pauses for as long, and begins again, so that many begin in one run. */
export const flood_s = 3

export type Phase = 'BEGINS' | 'LASTS' | 'PAUSES'

/** The phase of the disturbance so many seconds after its first begin; its first second BEGINS. */
export function phaseAt(kind: Disturbance, since_s: number): Phase {
  const into_s = kind === 'flood' ? since_s % (2 * flood_s) : since_s
  if (kind === 'flood' && into_s >= flood_s) return 'PAUSES'
  return into_s < 1 ? 'BEGINS' : 'LASTS'
}

/** Latencies of the payments that the disturbance is not part of. */
export interface Disturbed {
  readonly kind: Disturbance
  readonly before: Quantiles
  readonly during: Quantiles
  /** Of the payments that began within its first second; a flood has several. */
  readonly firstSecond: Quantiles
  /** How many of these payments the hub was too busy for. */
  readonly refused: { readonly before: number; readonly during: number }
  readonly flood?: FloodCounts | undefined
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
  flood: [within('p50', 15), within('p95', 40), ratio(1.5)],
  windows: [ratio(1.1)],
}

/**
 * One sentence for each limit that was exceeded, in the disturbance's first second or over all of
 * it.
 */
export function missedBy({
  kind,
  before,
  during,
  firstSecond,
}: Omit<Disturbed, 'refused' | 'flood'>): readonly string[] {
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

/** The number of FSPs where some fail. */
export const fspsWithFailing = 5

/** A flood needs an FSP of its own, the last one. */
export function payersOf({ fsps, disturb }: Pick<BenchOptions, 'fsps' | 'disturb'>): number {
  return disturb === 'flood' ? fsps - 1 : fsps
}
