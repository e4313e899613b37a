/** The results of sizing so far, in a file, so that the parts can be measured one at a time. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Machine } from '../machine.ts'
import type { BenchReport } from '../report.ts'

/** One run. */
export interface Point {
  /** Transfers stored before, FSPs, or replicas of each service. */
  readonly size: number
  readonly report: Pick<
    BenchReport,
    | 'rate'
    | 'transactions'
    | 'cpu_ms_per_transaction'
    | 'cpu_ms_by_service'
    | 'latency_ms'
    | 'per_transaction'
    | 'bytes_stored_at_start'
    | 'cores_used'
    | 'machine'
    | 'verify'
    | 'faults'
    | 'apart'
  >
  readonly wasVerified: boolean
}

export const partNames = ['stored', 'fsps', 'replicas'] as const
export type PartName = (typeof partNames)[number]

export type Results = { readonly machine?: Machine } & {
  readonly [Name in PartName]: readonly Point[]
}

const nothing: Results = { stored: [], fsps: [], replicas: [] }

export function readResults(file: string): Results {
  if (!existsSync(file)) return nothing
  return { ...nothing, ...(JSON.parse(readFileSync(file, 'utf8')) as Results) }
}

/** Adds a point to those of its part, and keeps the machine at its quietest. */
export function storePoint(file: string, part: PartName, point: Point): void {
  const { machine } = point.report
  const before = readResults(file)
  const quietest_us = before.machine?.node_http_us_per_post ?? Infinity
  const after: Results = {
    ...before,
    machine: machine.node_http_us_per_post < quietest_us ? machine : (before.machine ?? machine),
    [part]: [...before[part], point],
  }
  writeFileSync(file, `${JSON.stringify(after, null, 2)}\n`)
}
