/** What the bench and the process that plays the FSPs say to each other. */
import type { BenchOptions } from './options.ts'

/** From the bench to the FSPs. */
export type Command =
  { readonly type: 'OPEN'; readonly names: readonly string[]; readonly hubUrl: string } | Run

export interface Run {
  readonly type: 'RUN'
  readonly transfers: number
  readonly rate: number
  readonly load: BenchOptions['load']
}

/** From the FSPs to the bench. */
export type Report =
  | { readonly type: 'OPENED'; readonly url: string }
  | { readonly type: 'PROGRESS'; readonly finished: number }
  | { readonly type: 'DONE'; readonly result: RunResult }

export interface RunResult {
  readonly transfers: number
  readonly committed: number
  /** Why the others failed, with how many each. */
  readonly failures: Readonly<Record<string, number>>
  /** From the scheduled start of the first to the end of the last. */
  readonly elapsed_ms: number
  /** From the scheduled start of a transfer to its callback at the payer FSP. */
  readonly latency_ms: Quantiles
  /** How late the generator itself began transfers: above a few ms the figures mean little. */
  readonly lateness_ms: Quantiles
  /** Messages that the payee FSPs were sent a second time. */
  readonly repeated: number
}

export interface Quantiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

export function quantiles(samples: readonly number[]): Quantiles {
  const sorted = Float64Array.from(samples).sort()
  const at = (share: number) => round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
