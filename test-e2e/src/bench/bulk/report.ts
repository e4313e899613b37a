/**
 * The results of a run of bulks, as JSON and as lines for people, and the requirements that it
 * misses.
 */
import type { CpuUse } from '../cpu.ts'
import type { Tally } from '../database.ts'
import type { Machine } from '../machine.ts'
import type { RunResult } from '../messages.ts'
import { relaxations, type BenchOptions, type BulkOptions } from '../options.ts'
import type { Profile } from '../profile.ts'
import type { BulkLeg, Result } from './messages.ts'

export interface Leg {
  readonly leg: BulkLeg
  readonly result: Result
  /** For all bulks one after the other. */
  readonly used: CpuUse
}

interface Singles {
  readonly result: RunResult
  readonly used: CpuUse
  readonly committed: number
}

export interface Findings {
  readonly legs: readonly Leg[]
  /** Single payments. */
  readonly alone: Singles
  readonly beside: Singles
  readonly bulksBeside: Result
  /** For all bulks one after the other; none unless a profile is taken. */
  readonly statements: readonly Tally[]
  readonly memory_mb: { readonly before: number; readonly most: number }
  readonly faults: readonly string[]
}

/** The CPU of an item must be below this share of the CPU of a single payment. */
const share_max = 0.4
/**
 * The limit for the p99 of single payments during bulks, as a multiple of that of payments alone.
 */
const times_max = 1.5
/** The limit for the memory that the hub takes in addition to that before the bulks. */
const memory_mb_max = 300
const functions_max = 40
const statement_chars_max = 90

export type BulkReport = ReturnType<typeof reportOf>

export function reportOf(
  options: BenchOptions & { readonly bulk: BulkOptions },
  machine: Machine,
  { legs, alone, beside, bulksBeside, statements, memory_mb, faults }: Findings,
  profile: Profile | undefined,
) {
  const { items, bulks, rate } = options.bulk
  const costs = legs.map(({ leg, result, used }) => ({
    leg,
    cpu_ms_per_item: costOf(used, Math.max(1, result.done) * items),
    latency_ms: result.latency_ms,
  }))
  const item_ms = costs.reduce((sum, { cpu_ms_per_item: cpu }) => sum + cpu.total, 0)
  const single = costOf(alone.used, Math.max(1, alone.committed))
  const share = round(item_ms / single.total)
  const [p99_alone, p99_beside] = [alone, beside].map(
    ({ result }) => result.measured.hub_latency_ms.p99,
  ) as [number, number]
  const times = round(p99_beside / p99_alone)
  return {
    load: 'bulk' as const,
    items,
    bulks,
    bulk_rate: rate,
    rate: options.rate,
    transactions: options.payments,
    legs: costs,
    item_cpu_ms: round(item_ms),
    single: {
      cpu_ms_per_transaction: single,
      alone: latenciesOf(alone),
      beside: latenciesOf(beside),
    },
    bulks_beside: bulksBeside,
    item_of_single: share,
    p99_beside_of_alone: times,
    memory_mb,
    missed: [
      ...(share < share_max ? [] : [`an item costs ${share} of a single payment`]),
      ...(times <= times_max ? [] : [`the p99 of single payments is ${times} times that alone`]),
      ...(memory_mb.most - memory_mb.before <= memory_mb_max
        ? []
        : [`the hub took ${memory_mb.most - memory_mb.before} MB more`]),
    ],
    relaxations: relaxations(options),
    faults,
    machine,
    profile: profile && {
      busy_us_per_item: round(profile.busy_us / (items * bulks)),
      functions: profile.functions.slice(0, functions_max).map(({ name, us }) => ({
        name,
        us_per_item: round(us / (items * bulks)),
      })),
      statements: statements.slice(0, functions_max).map(({ name, count, us }) => ({
        name: name.slice(0, statement_chars_max),
        per_bulk: round(count / bulks),
        us_per_item: round(us / (items * bulks)),
      })),
    },
  }
}

function costOf({ hub_ms, hub_main_thread_ms, postgres_ms, fsps_ms }: CpuUse, count: number) {
  return {
    hub: round(hub_ms / count),
    hub_main_thread: round(hub_main_thread_ms / count),
    postgres: round(postgres_ms / count),
    total: round((hub_ms + postgres_ms) / count),
    fsps_not_counted: round(fsps_ms / count),
  }
}

function latenciesOf({ result }: Singles) {
  const { latency_ms, hub_latency_ms } = result.measured
  return { latency_ms, hub_latency_ms, lateness_ms: result.lateness_ms }
}

function round(n: number): number {
  return Math.round(n * 1_000) / 1_000
}

/** For people. */
export function bulkTable(report: BulkReport): string {
  const { single, memory_mb: memory, bulks_beside: bulks } = report
  const text = ({ p50, p95, p99, max }: Result['latency_ms']) =>
    `p50 ${p50}  p95 ${p95}  p99 ${p99}  max ${max} ms`
  const cpu = ({ total, hub, hub_main_thread, postgres }: typeof single.cpu_ms_per_transaction) =>
    `${total} ms: hub ${hub} (main thread ${hub_main_thread}), PostgreSQL ${postgres}`
  const rows: readonly (readonly [string, string])[] = [
    ['load', `bulks of ${report.items}, during ${report.rate} payments begun per second`],
    ...report.legs.flatMap(({ leg, cpu_ms_per_item, latency_ms }) => [
      [`bulk ${leg}`, `${text(latency_ms)}, ${report.bulks} one after the other`] as const,
      ['  CPU per item', cpu(cpu_ms_per_item)] as const,
    ]),
    ['single payment', `${text(single.alone.hub_latency_ms)} in the hub, alone`],
    ['  CPU', cpu(single.cpu_ms_per_transaction)],
    ['  during bulks', `${text(single.beside.hub_latency_ms)} in the hub`],
    [
      'bulks meanwhile',
      `${report.bulk_rate}/s begun, ${bulks.done} made, ${text(bulks.latency_ms)}`,
    ],
    ['', `${bulks.busy} messages sent again because the hub was too busy`],
    ['item : single', `${report.item_of_single} of the CPU`],
    ['p99', `${report.p99_beside_of_alone} times that of payments alone`],
    ['memory', `${memory.before} MB before the bulks, ${memory.most} MB at most`],
    ['relaxations', report.relaxations.join(', ') || 'none'],
    ['machine', `${report.machine.node_http_us_per_post} µs per POST of a bare node:http server`],
    ...report.missed.map((missed) => ['MISSED', missed] as const),
    ...report.faults.map((fault) => ['WRONG', fault] as const),
  ]
  const lines = rows.map(([name, value]) => `${name.padEnd(18)}${value}`.trimEnd())
  const functions = (report.profile?.functions ?? []).map(
    ({ name, us_per_item }) => `${String(us_per_item).padStart(9)} µs per item  ${name}`,
  )
  const statements = (report.profile?.statements ?? []).map(
    ({ name, per_bulk, us_per_item }) =>
      `${String(us_per_item).padStart(9)} µs per item, ${per_bulk} per bulk  ${name}`,
  )
  return [...lines, ...functions, ...statements].map((line) => `${line}\n`).join('')
}
