/**
 * The results of a run of bulks, as JSON and as lines for people, and the requirements that it
 * misses.
 */
import type { CpuUse } from '../cpu.ts'
import type { RunResult } from '../fsps/messages.ts'
import type { Machine } from '../machine.ts'
import { relaxations, type BenchOptions } from '../options.ts'
import { commonRows, cpuPerEach, linesOf, round, timesText } from '../report.ts'
import type { BulkLeg, BulkResult } from './messages.ts'

export interface BulkLegFindings {
  readonly leg: BulkLeg
  readonly result: BulkResult
  /** For all bulks one after the other. */
  readonly used: CpuUse
}

export interface Singles {
  readonly result: RunResult
  readonly used: CpuUse
  readonly committed: number
}

export interface BulkFindings {
  readonly legs: readonly BulkLegFindings[]
  /** Single payments. */
  readonly alone: Singles
  readonly beside: Singles
  readonly bulksBeside: BulkResult
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

export type BulkReport = ReturnType<typeof bulkReportOf>

export function bulkReportOf(
  options: BenchOptions,
  machine: Machine,
  { legs, alone, beside, bulksBeside, memory_mb, faults }: BulkFindings,
) {
  const { items, bulks, rate } = options.bulk
  const costs = legs.map(({ leg, result, used }) => ({
    leg,
    cpu_ms_per_item: cpuPerEach(used, Math.max(1, result.done) * items),
    latency_ms: result.latency_ms,
  }))
  const item_ms = costs.reduce((sum, { cpu_ms_per_item: cpu }) => sum + cpu.total, 0)
  const single = cpuPerEach(alone.used, Math.max(1, alone.committed))
  const share = round(item_ms / single.total)
  const p99Of = ({ result }: Singles) => result.measured.hub_latency_ms.p99
  const times = round(p99Of(beside) / p99Of(alone))
  return {
    load: options.load,
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
  }
}

function latenciesOf({ result }: Singles) {
  const { latency_ms, hub_latency_ms } = result.measured
  return { latency_ms, hub_latency_ms, lateness_ms: result.lateness_ms }
}

export function bulkTable(report: BulkReport): string {
  const { single, memory_mb: memory, bulks_beside: bulks } = report
  const cpu = ({ total, hub, hub_main_thread, postgres }: typeof single.cpu_ms_per_transaction) =>
    `${total} ms: hub ${hub} (main thread ${hub_main_thread}), PostgreSQL ${postgres}`
  return linesOf([
    ['load', `bulks of ${report.items}, during ${report.rate} payments begun per second`],
    ...report.legs.flatMap(({ leg, cpu_ms_per_item, latency_ms }) => [
      [`bulk ${leg}`, `${timesText(latency_ms)}, ${report.bulks} one after the other`] as const,
      ['  CPU per item', cpu(cpu_ms_per_item)] as const,
    ]),
    ['single payment', `${timesText(single.alone.hub_latency_ms)} in the hub, alone`],
    ['  CPU', cpu(single.cpu_ms_per_transaction)],
    ['  during bulks', `${timesText(single.beside.hub_latency_ms)} in the hub`],
    [
      'bulks meanwhile',
      `${report.bulk_rate}/s begun, ${bulks.done} made, ${timesText(bulks.latency_ms)}`,
    ],
    ['', `${bulks.busy} messages sent again because the hub was too busy`],
    ['item : single', `${report.item_of_single} of the CPU`],
    ['p99', `${report.p99_beside_of_alone} times that of payments alone`],
    ['memory', `${memory.before} MB before the bulks, ${memory.most} MB at most`],
    ...commonRows(report),
  ])
}
