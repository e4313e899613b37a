/** The messages between the bench and the process of the FSPs of bulks. */
import type { Open, OpenedFsp } from '../messages.ts'
import type { Quantiles } from '../quantiles.ts'

export type { Open }

/** One payer FSP, one payee FSP. */
export const names = ['bulkpayer', 'bulkpayee'] as const

export interface Prepare {
  readonly type: 'PREPARE'
  readonly hubUrl: string
  readonly bulks: number
  /** Items of each bulk. */
  readonly items: number
  /** How long the messages stay valid. */
  readonly valid_ms: number
}

/** A bulk passes through these in their order. */
export const bulkLegs = ['quote', 'transfer'] as const

export type BulkLeg = (typeof bulkLegs)[number]

export interface Run {
  readonly type: 'RUN'
  readonly legs: readonly BulkLeg[]
  /** Bulks by number, `from` included, `to` not. */
  readonly from: number
  readonly to: number
  /** Begun per second, whether or not earlier ones have finished; undefined: one after another. */
  readonly rate: number | undefined
}

export type Command = Open | Prepare | Run

export type Answer =
  | { readonly type: 'OPENED'; readonly fsps: readonly OpenedFsp[] }
  | { readonly type: 'PREPARED' }
  | { readonly type: 'DONE'; readonly result: Result }
  | { readonly type: 'BROKEN'; readonly why: string }

export interface Result {
  /** Bulks whose payer FSP has a fulfilment, or a quote, for each item. */
  readonly done: number
  /** The reasons of failures, with the number of each. */
  readonly failures: Readonly<Record<string, number>>
  /** Messages that the hub was too busy for; they are sent again. */
  readonly busy: number
  /** From the scheduled start to the end at the payer FSP. */
  readonly latency_ms: Quantiles
}
