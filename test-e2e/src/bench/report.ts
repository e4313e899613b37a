/** The results of the bench, per payment: as JSON for machines and as a table for people. */
import { programOf, type ProcessName } from '../hub/services.ts'
import type { CpuUse } from './cpu.ts'
import type { DatabaseUse, Guarantees } from './database.ts'
import type { Probed, RunResult, Totals } from './fsps/messages.ts'
import type { Latencies } from './fsps/timeline.ts'
import { failedOf, isClean } from './gate.ts'
import type { Machine } from './machine.ts'
import { relaxations, type BenchOptions } from './options.ts'
import type { Quantiles } from './quantiles.ts'

/** The counters at the beginning or at the end of the measured window. */
export interface CounterReading {
  /** By the FSPs' clock. */
  readonly at_ms: number
  /** Payments that had ended. */
  readonly committed: number
  readonly cpu: CpuUse
  readonly database: DatabaseUse
}

export interface Findings {
  readonly result: RunResult
  readonly opened: CounterReading
  readonly closed: CounterReading
  readonly probed: Probed
  readonly settings: Guarantees
  readonly machine: Machine
  readonly hub_memory_mb: number
  /** What POST /verify answered. */
  readonly verify: unknown
  /** Why the run does not count; empty: it counts. */
  readonly faults: readonly string[]
}

export type BenchReport = ReturnType<typeof reportOf>

type CpuPart = Exclude<keyof CpuUse, 'processes_ms'>

/** Above this the generator, not the hub, may have been the limit. */
const lateness_ms_max = 20
const fspCores_max = 0.6
/** Above this the hub shared the machine with other work. */
const otherCores_max = 0.2
/** Share of the begun payments; below this a queue grew. */
const made_min = 0.95

export function reportOf(options: BenchOptions, findings: Findings) {
  const { result, opened, closed, verify, machine } = findings
  const { measured, lateness_ms, totals } = result
  const window_ms = closed.at_ms - opened.at_ms
  const committed = closed.committed - opened.committed
  const tps = (committed * 1_000) / window_ms
  const cpu = cpuBetween(opened.cpu, closed.cpu)
  const cores_used = coresUsed(cpu, window_ms)
  return {
    load: options.load,
    apart: options.apart,
    groups: options.groups,
    fsps: options.fsps,
    rate: options.rate,
    transactions: options.payments,
    ...refusalsOf(totals),
    failed: failedOf(totals),
    failures: totals.failures,
    window_s: round(window_ms / 1_000),
    tps: round(tps),
    latency_ms: measured.latency_ms,
    hub_latency_ms: measured.hub_latency_ms,
    legs: measured.legs,
    lateness_ms,
    cpu_ms_per_transaction: cpuPerEach(cpu, committed),
    cpu_ms_by_service:
      options.apart === undefined && options.groups === undefined
        ? undefined
        : byService(opened.cpu, closed.cpu, committed),
    cores_used,
    per_transaction: databaseUseOfEach(findings, committed),
    bytes_stored_at_start: opened.database.bytes_stored,
    hub_memory_mb: findings.hub_memory_mb,
    verify: isClean(verify) ? ('clean' as const) : verify,
    faults: findings.faults,
    remarks: [
      ...(tps < options.rate * made_min
        ? ['more payments began than ended: the figures per payment include work for the others']
        : []),
      ...remarksOn(lateness_ms.p99, cores_used),
    ],
    guarantees: guaranteesOf(options, findings),
    relaxations: relaxations(options),
    machine,
  }
}

function refusalsOf({ refused, refusedByPayer, legs }: Totals) {
  return {
    refused,
    refused_by_payer: refusedByPayer,
    refused_by_leg: Object.fromEntries(
      Object.entries(legs).map(([leg, { refused: ofLeg }]) => [leg, ofLeg]),
    ),
  }
}

/** The CPU time of the hub, without the FSPs. */
function counted_ms({ hub_ms, postgres_ms, kafka_ms }: CpuUse): number {
  return hub_ms + postgres_ms + kafka_ms
}

function coresUsed(cpu: CpuUse, window_ms: number) {
  const cores = (ms: number) => round(ms / window_ms)
  return {
    hub: cores(cpu.hub_ms),
    postgres: cores(cpu.postgres_ms),
    kafka: cores(cpu.kafka_ms),
    fsps: cores(cpu.fsps_ms),
    others: cores(cpu.machine_ms - counted_ms(cpu) - cpu.fsps_ms),
  }
}

/** Without the single processes. */
export function cpuBetween(before: CpuUse, after: CpuUse): CpuUse {
  const between = (part: CpuPart) => after[part] - before[part]
  return {
    hub_ms: between('hub_ms'),
    hub_main_thread_ms: between('hub_main_thread_ms'),
    processes_ms: {},
    postgres_ms: between('postgres_ms'),
    kafka_ms: between('kafka_ms'),
    fsps_ms: between('fsps_ms'),
    machine_ms: between('machine_ms'),
  }
}

/** CPU ms of each payment, item or link; the total is without the FSPs. */
export function cpuPerEach(cpu: CpuUse, count: number) {
  const { hub_ms, hub_main_thread_ms, postgres_ms, kafka_ms, fsps_ms } = cpu
  return {
    hub: round(hub_ms / count),
    hub_main_thread: round(hub_main_thread_ms / count),
    postgres: round(postgres_ms / count),
    kafka: round(kafka_ms / count),
    total: round(counted_ms(cpu) / count),
    fsps_not_counted: round(fsps_ms / count),
  }
}

function databaseUseOfEach({ opened, closed }: Findings, committed: number) {
  const each = (part: keyof DatabaseUse) =>
    round((closed.database[part] - opened.database[part]) / committed)
  return {
    sql_statements: each('sql_statements'),
    commits: each('commits'),
    rows_written: each('rows_written'),
    events: each('events'),
    bytes_stored: Math.round(each('bytes_stored')),
    wal_bytes: Math.round(each('wal_bytes')),
    wal_fsyncs: each('wal_fsyncs'),
  }
}

function guaranteesOf(options: BenchOptions, { probed, settings }: Findings) {
  return {
    fsync: settings.fsync && settings.synchronous_commit,
    identity: probed.refusesOthersName && ('mtls' as const),
    jws_verify: probed.refusesChangedBody && ('RS256' as const),
    jws_sign: probed.signsItsOwn,
    quotes_stored: options.legs.includes('quote'),
  }
}

function remarksOn(
  lateness_p99_ms: number,
  { fsps, others }: { readonly fsps: number; readonly others: number },
): readonly string[] {
  return [
    ...(lateness_p99_ms > lateness_ms_max
      ? [`1 % of the payments were begun ${lateness_p99_ms} ms late or later`]
      : []),
    ...(fsps > fspCores_max
      ? [`the FSPs' process had ${fsps} of a core to do: it may have been the limit`]
      : []),
    ...(others > otherCores_max
      ? [`other work on this machine took ${others} cores: it is in the latencies`]
      : []),
  ]
}

/** CPU ms per payment of each service, over all its processes, the most expensive first. */
function byService(opened: CpuUse, closed: CpuUse, payments: number) {
  const services = new Map<string, number>()
  for (const [name, ms] of Object.entries(closed.processes_ms)) {
    const service = programOf(name as ProcessName)
    const used_ms = ms - (opened.processes_ms[name] ?? 0)
    services.set(service, (services.get(service) ?? 0) + used_ms)
  }
  return Object.fromEntries(
    [...services]
      .sort(([, a], [, b]) => b - a)
      .map(([service, ms]) => [service, round(ms / payments)]),
  )
}

export function round(n: number): number {
  return Math.round(n * 1_000) / 1_000
}

export function tableOf(report: BenchReport): string {
  const { cpu_ms_per_transaction: cpu, per_transaction: each, cores_used: cores } = report
  return linesOf([
    ['load', `${report.load}, ${report.fsps} FSPs, ${report.rate} payments begun per second`],
    report.apart !== undefined && [
      'services',
      `apart, on Kafka, ${report.apart} of each on the way`,
    ],
    report.groups !== undefined && [
      'services',
      `in groups, on Kafka, ${report.groups} of the path`,
    ],
    ['payments', `${report.transactions} measured in ${report.window_s} s`],
    ['failed', `${report.failed} ${report.failed === 0 ? '' : JSON.stringify(report.failures)}`],
    report.refused > 0 && ['refused', refusedText(report)],
    ['throughput', `${report.tps} per second`],
    ...latencyRows('latency', report),
    ...Object.entries(report.legs).flatMap(([leg, times]) => latencyRows(`  ${leg}`, times)),
    ['generator late', `p50 ${report.lateness_ms.p50}  p99 ${report.lateness_ms.p99} ms`],
    ['CPU per payment', `${cpu.total} ms (FSPs not counted)`],
    ['  hub', `${cpu.hub} ms, of it ${cpu.hub_main_thread} in main threads`],
    ...Object.entries(report.cpu_ms_by_service ?? {}).map(
      ([name, ms]) => ['', `${name.padEnd(24)}${ms} ms`] as const,
    ),
    ['  PostgreSQL', `${cpu.postgres} ms`],
    cpu.kafka > 0 && ['  Kafka', `${cpu.kafka} ms`],
    ['  FSPs', `${cpu.fsps_not_counted} ms, not counted`],
    [
      'cores used',
      `hub ${cores.hub}  PostgreSQL ${cores.postgres}  Kafka ${cores.kafka}  FSPs ${cores.fsps}  others ${cores.others}`,
    ],
    ['per payment', `${each.sql_statements} SQL statements, ${each.commits} commits`],
    ['', `${each.rows_written} rows written without events`],
    ['', `${each.wal_fsyncs} fsyncs${Number.isNaN(each.events) ? '' : `, ${each.events} events`}`],
    ['', `${each.bytes_stored} bytes stored, ${each.wal_bytes} bytes of WAL`],
    ['memory', `${report.hub_memory_mb} MB (hub, PostgreSQL not counted)`],
    ['guarantees', JSON.stringify(report.guarantees)],
    ['verify', report.verify === 'clean' ? 'clean' : JSON.stringify(report.verify)],
    ...report.remarks.map((remark) => ['weak', remark] as const),
    ...commonRows(report),
  ])
}

type TableRow = readonly [name: string, value: string]

/** The end of every table. */
export function commonRows({
  relaxations: less,
  machine,
  faults,
}: Pick<BenchReport, 'relaxations' | 'machine' | 'faults'>): readonly TableRow[] {
  return [
    ['relaxations', less.join(', ') || 'none'],
    ['machine', `${machine.cores} cores, ${machine.cpu}, Node.js ${machine.node}`],
    ['', `${machine.node_http_us_per_post} µs per POST of a bare node:http server`],
    ...faults.map((fault) => ['WRONG', fault] as const),
  ]
}

/** Lines of two columns; what is false is left out. */
export function linesOf(rows: readonly (TableRow | false)[]): string {
  return rows
    .filter((row) => row !== false)
    .map(([name, value]) => `${`${name.padEnd(18)}${value}`.trimEnd()}\n`)
    .join('')
}

function refusedText({ refused, refused_by_leg: legs }: BenchReport): string {
  const byLeg = Object.entries(legs).map(([leg, count]) => `${leg} ${count}`)
  return `${refused}, for the hub was too busy (503 and 2005): ${byLeg.join('  ')}`
}

export function timesText({ p50, p95, p99, max }: Quantiles): string {
  return `p50 ${p50}  p95 ${p95}  p99 ${p99}  max ${max} ms`
}

function latencyRows(name: string, { latency_ms, hub_latency_ms }: Latencies): readonly TableRow[] {
  return [
    [name, timesText(latency_ms)],
    ['', `${timesText(hub_latency_ms)} in the hub`],
  ]
}
