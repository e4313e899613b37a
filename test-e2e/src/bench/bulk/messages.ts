/** The messages between the bench and the process of the FSPs of bulks. */
import type { Open, FspsOpened } from '../fsps/messages.ts'
import type { Passed } from '../pace.ts'

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

export interface RunBulks {
  readonly type: 'RUN'
  readonly legs: readonly BulkLeg[]
  /** Bulks by number, `from` included, `to` not. */
  readonly from: number
  readonly to: number
  /** Begun per second, whether or not earlier ones have finished; undefined: one after another. */
  readonly rate: number | undefined
}

export type BulkBenchCommand = Open | Prepare | RunBulks

export type BulkBenchReport =
  | FspsOpened
  | { readonly type: 'PREPARED' }
  | { readonly type: 'DONE'; readonly result: BulkResult }

export interface BulkResult extends Passed {
  /** Messages that the hub was too busy for; they are sent again. */
  readonly busy: number
}
