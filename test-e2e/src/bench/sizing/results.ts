/** The results of sizing so far, in a file, so that the parts can be measured one at a time. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import type { Machine } from '../machine.ts'
import type { Report } from '../report.ts'

/** One run. */
export interface Point {
  /** Transfers stored before, FSPs, or replicas of each service. */
  readonly size: number
  readonly rate: number
  readonly payments: number
  readonly failed: number
  readonly cpu_ms: { readonly hub: number; readonly postgres: number; readonly kafka?: number }
  readonly latency_ms: { readonly p50: number; readonly p95: number; readonly p99: number }
  readonly database: {
    readonly statements: number
    readonly wal_bytes: number
    /** Tables and indexes at the start of the run. */
    readonly bytes_at_start: number
  }
  /** CPU ms per payment of each service, where they run apart. */
  readonly services?: Readonly<Record<string, number>>
  /** CPU time of other programs on this machine during the run. */
  readonly others_cores: number
  readonly load_before: number
  readonly us_per_post: number
  readonly verify: 'clean' | 'not asked' | 'NOT CLEAN'
  readonly faults: readonly string[]
  readonly at: string
}

export type PartName = 'stored' | 'fsps' | 'replicas'

export type Results = { readonly machine?: Machine } & {
  readonly [Name in PartName]: readonly Point[]
}

const nothing: Results = { stored: [], fsps: [], replicas: [] }

export function readResults(file: string): Results {
  if (!existsSync(file)) return nothing
  return { ...nothing, ...(JSON.parse(readFileSync(file, 'utf8')) as Results) }
}

/** Adds a point to those of its part. */
export function storePoint(file: string, part: PartName, point: Point, machine: Machine): void {
  const before = readResults(file)
  const best =
    before.machine === undefined ||
    machine.node_http_us_per_post < before.machine.node_http_us_per_post
  const after: Results = {
    ...before,
    machine: best ? machine : before.machine,
    [part]: [...before[part], point],
  }
  writeFileSync(file, `${JSON.stringify(after, null, 2)}\n`)
}

export function loadNow(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10
}

export function pointOf(
  size: number,
  report: Report,
  { load_before, verified }: { readonly load_before: number; readonly verified: boolean },
): Point {
  const { cpu_ms_per_transaction: cpu, latency_ms, per_transaction: each } = report
  return {
    size,
    rate: report.rate,
    payments: report.transactions,
    failed: report.failed,
    cpu_ms: {
      hub: cpu.hub,
      postgres: cpu.postgres,
      ...(report.apart === undefined ? {} : { kafka: cpu.kafka }),
    },
    ...(report.cpu_ms_by_service === undefined ? {} : { services: report.cpu_ms_by_service }),
    latency_ms: { p50: latency_ms.p50, p95: latency_ms.p95, p99: latency_ms.p99 },
    database: {
      statements: each.sql_statements,
      wal_bytes: each.wal_bytes,
      bytes_at_start: report.bytes_stored_at_start,
    },
    others_cores: report.cores_used.others,
    load_before,
    us_per_post: report.machine.node_http_us_per_post,
    verify: !verified ? 'not asked' : report.verify === 'clean' ? 'clean' : 'NOT CLEAN',
    faults: report.faults,
    at: new Date().toISOString(),
  }
}
