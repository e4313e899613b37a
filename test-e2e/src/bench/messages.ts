/** The messages between the bench and the process of the FSPs. */
import type { Disturbed } from './disturbances.ts'
import type { BenchOptions, LegName } from './options.ts'
import type { Plan, Range } from './plan.ts'
import type { Measured } from './timeline.ts'
import type { Quantiles } from './quantiles.ts'

/** PEM. */
export interface Certified {
  readonly certificate: string
  readonly key: string
}

/** In both directions each side shows a certificate of the scheme's CA. */
export interface Tls {
  readonly ca: string
  /** By the number of the FSP. */
  readonly fsps: readonly Certified[]
}

export interface Open {
  readonly type: 'OPEN'
  readonly names: readonly string[]
  /** Undefined: plain http in both directions. */
  readonly tls: Tls | undefined
  readonly signed: BenchOptions['signed']
}

export interface Prepare {
  readonly type: 'PREPARE'
  readonly hubUrl: string
  readonly plan: Plan
  readonly load: BenchOptions['load']
  readonly disturb: BenchOptions['disturb']
  readonly legs: readonly LegName[]
  /** How long the messages stay valid. */
  readonly valid_ms: number
}

export interface Run {
  readonly type: 'RUN'
  readonly range: Range
  readonly rate: number
  /** Its first and last payment limit the measured window; undefined: nothing is measured. */
  readonly measured: Range | undefined
}

/** From the bench to the FSPs. */
export type Command = Open | Prepare | { readonly type: 'PROBE' } | Run

/** From the FSPs to the bench. */
export type Report =
  | { readonly type: 'OPENED'; readonly fsps: readonly OpenedFsp[] }
  /** The second half of the measured payments begins. */
  | { readonly type: 'MIDDLE' }
  | { readonly type: 'PROGRESS'; readonly what: string; readonly done: number }
  | { readonly type: 'PREPARED' }
  | { readonly type: 'PROBED'; readonly found: Probed }
  /** The number of payments that have ended so far. */
  | {
      readonly type: 'WINDOW'
      readonly edge: 'OPENED' | 'CLOSED'
      readonly at_ms: number
      readonly committed: number
    }
  | { readonly type: 'DONE'; readonly result: RunResult }
  | { readonly type: 'BROKEN'; readonly why: string }

export interface OpenedFsp {
  /** Where the hub reaches it. */
  readonly url: string
  /** PEM; undefined: it does not sign. */
  readonly publicKey: string | undefined
}

/** Whether the hub refused the messages that it must refuse, and whether it signs its own. */
export interface Probed {
  readonly refusesChangedBody: boolean
  readonly refusesOthersName: boolean
  readonly signsItsOwn: boolean
}

export interface RunResult {
  readonly measured: Measured
  /** Undefined: there was no disturbance. */
  readonly disturbed: Disturbed | undefined
  /** How late the generator itself began payments: above a few ms the figures mean little. */
  readonly lateness_ms: Quantiles
  /** Counts of all payments since the start, warm-up included. */
  readonly totals: Totals
}

export interface Totals {
  readonly begun: number
  /** Payments whose payer FSP has the fulfilment that matches the condition. */
  readonly committed: number
  /** Payments that the hub was too busy to begin or continue; no money was reserved for them. */
  readonly refused: number
  /** The same by the number of the payer FSP. */
  readonly refusedByPayer: readonly number[]
  /** Payments to failing FSPs: their end is not known. */
  readonly unanswered: number
  /** The reasons of failures, with the number of each. */
  readonly failures: Readonly<Record<string, number>>
  /** Messages that FSPs received a second time. */
  readonly repeated: number
  /** By leg. */
  readonly legs: Readonly<Partial<Record<LegName, LegTotals>>>
}

export interface LegTotals {
  /** Requests of payer FSPs that the hub accepted. */
  readonly commands: number
  /** Requests of payer FSPs that the hub was too busy for. */
  readonly refused: number
  /** Requests that reached payee FSPs. */
  readonly requests: number
  /** Answers that reached payer FSPs, byte for byte as the payee FSP sent them. */
  readonly callbacks: number
}
