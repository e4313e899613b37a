/** The messages between the bench and the process of the FSPs. */
import type { Certified } from '../../fsp/connection.ts'
import type { LegName, Load } from '../options.ts'
import type { Range } from '../plan.ts'
import type { Quantiles } from '../quantiles.ts'
import type { Measured } from './timeline.ts'

export interface Open {
  readonly type: 'OPEN'
  readonly names: readonly string[]
  /** By the number of the FSP. */
  readonly certified: readonly Certified[]
}

export interface Prepare {
  readonly type: 'PREPARE'
  /** Of an edge of the hub, or of several with commas between them. */
  readonly hubUrl: string
  /** Payments in all. */
  readonly total: number
  readonly load: Load
  readonly legs: readonly LegName[]
  /** How long the messages stay valid. */
  readonly valid_ms: number
}

export interface RunPayments {
  readonly type: 'RUN'
  readonly range: Range
  readonly rate: number
  /** Its first and last payment limit the measured window; undefined: nothing is measured. */
  readonly measured: Range | undefined
}

/** From the bench to the FSPs. */
export type PaymentBenchCommand = Open | Prepare | { readonly type: 'PROBE' } | RunPayments

/** From the FSPs to the bench. */
export type PaymentBenchReport =
  | FspsOpened
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

export interface FspsOpened {
  readonly type: 'OPENED'
  readonly fsps: readonly OpenedFsp[]
}

export interface OpenedFsp {
  /** Where the hub reaches it. */
  readonly url: string
  /** PEM. */
  readonly publicKey: string
}

/** Whether the hub refused the messages that it must refuse, and whether it signs its own. */
export interface Probed {
  readonly refusesChangedBody: boolean
  readonly refusesOthersName: boolean
  readonly signsItsOwn: boolean
}

export interface RunResult {
  readonly measured: Measured
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
