/** The results of the bench, per payment: as JSON for machines and as a table for people. */
import type { CpuUse } from './cpu.ts'
import type { DatabaseUse, Guarantees, Tally } from './database.ts'
import { missedBy, type Disturbed } from './disturbances.ts'
import { failedOf, isClean } from './gate.ts'
import type { Machine } from './machine.ts'
import type { Probed, RunResult, Totals } from './messages.ts'
import { relaxations, type BenchOptions } from './options.ts'
import { serviceOf, type ProcessName } from '../hub/services.ts'
import type { Profile } from './profile.ts'
import type { Latencies } from './timeline.ts'
import type { WindowsClosed } from './windows.ts'

/** The counters at the beginning or at the end of the measured window. */
export interface Reading {
  /** By the FSPs' clock. */
  readonly at_ms: number
  /** Payments that had ended. */
  readonly committed: number
  readonly cpu: CpuUse
  readonly database: DatabaseUse
  /** Empty unless a profile is taken. */
  readonly statements: readonly Tally[]
}

export interface Findings {
  readonly result: RunResult
  readonly opened: Reading
  readonly closed: Reading
  /** During the payments; undefined: none. */
  readonly windows_closed: WindowsClosed | undefined
  readonly probed: Probed
  readonly settings: Guarantees
  readonly machine: Machine
  readonly hub_memory_mb: number
  /**
   * How much more memory the hub retains, all garbage collected, after all payments except the
   * warm-up.
   */
  readonly kept_bytes_per_transaction: number
  /** Between the two readings, by type. */
  readonly events: readonly Tally[]
  /** What POST /verify answered. */
  readonly verify: unknown
  /** Why the run does not count; empty: it counts. */
  readonly faults: readonly string[]
  /** By the name of the process; undefined: none was taken. */
  readonly profile: ReadonlyMap<string, Profile> | undefined
}

export type Report = ReturnType<typeof reportOf>

type CpuPart = Exclude<keyof CpuUse, 'processes_ms'>
type ProfileLine = NonNullable<Report['profile']>['processes'][number]['parts'][number]

/** Entries for one process, and for each of several. */
const functions_max = 40
const functionsOfEach_max = 8
const statements_max = 30
const statement_chars_max = 110
/** Above this the generator, not the hub, may have been the limit. */
const lateness_ms_max = 20
const fspCores_max = 0.6
/** Above this the hub shared the machine with other work. */
const otherCores_max = 0.2
/**
 * Above this the hub retains something of each payment; with fewer payments, caches that fill look
 * the same.
 */
const retained_bytes_max = 1_000
const retainedFrom_min = 10_000
/** Share of the begun payments; below this a queue grew. */
const ended_min = 0.95

export function reportOf(options: BenchOptions, findings: Findings) {
  const { result, opened, closed, verify, machine, profile } = findings
  const { measured, lateness_ms, totals } = result
  const window_ms = closed.at_ms - opened.at_ms
  const committed = closed.committed - opened.committed
  const tps = (committed * 1_000) / window_ms
  const cores_used = coresUsed(findings, window_ms)
  return {
    load: options.load,
    apart: options.apart,
    fsps: options.fsps,
    rate: options.rate,
    transactions: options.payments,
    ...endsOf(totals),
    window_s: round(window_ms / 1_000),
    tps: round(tps),
    tps_per_used_core: round((committed * 1_000) / counted_ms(findings)),
    latency_ms: measured.latency_ms,
    hub_latency_ms: measured.hub_latency_ms,
    legs: measured.legs,
    lateness_ms,
    windows_closed: findings.windows_closed,
    disturbed: result.disturbed,
    missed: result.disturbed === undefined ? [] : missedBy(result.disturbed),
    cpu_ms_per_transaction: cpuOfEach(findings, committed),
    cpu_ms_by_service:
      options.apart === undefined ? undefined : byService(opened.cpu, closed.cpu, committed),
    cores_used,
    per_transaction: databaseUseOfEach(findings, committed),
    events_per_transaction: findings.events.map(({ name, count }) => ({
      name,
      count: round(count / committed),
    })),
    bytes_stored_at_start: opened.database.bytes_stored,
    hub_memory_mb: findings.hub_memory_mb,
    kept_bytes_per_transaction: findings.kept_bytes_per_transaction,
    verify: isClean(verify) ? ('clean' as const) : verify,
    faults: findings.faults,
    remarks: [
      ...(tps < options.rate * ended_min
        ? ['more payments began than ended: the figures per payment include work for the others']
        : []),
      ...retainedTooMuch(options, findings),
      ...remarksOn(lateness_ms.p99, cores_used),
    ],
    guarantees: guaranteesOf(options, findings),
    relaxations: [
      ...relaxations(options),
      ...(profile === undefined ? [] : ['a CPU profile taken']),
    ],
    machine,
    profile: profile && {
      processes: profilesOf(profile, committed),
      statements: statementsOf(findings, committed),
    },
  }
}

function endsOf(totals: Totals) {
  return {
    refused: totals.refused,
    refused_by_payer: totals.refusedByPayer,
    refused_by_leg: Object.fromEntries(
      Object.entries(totals.legs).map(([leg, { refused }]) => [leg, refused]),
    ),
    unanswered: totals.unanswered,
    failed: failedOf(totals),
    failures: totals.failures,
  }
}

function used({ opened, closed }: Findings, part: CpuPart): number {
  return closed.cpu[part] - opened.cpu[part]
}

/** The CPU time of the hub, without the FSPs. */
function counted_ms(findings: Findings): number {
  return used(findings, 'hub_ms') + used(findings, 'postgres_ms') + used(findings, 'kafka_ms')
}

function coresUsed(findings: Findings, window_ms: number) {
  const cores = (ms: number) => round(ms / window_ms)
  const fsps_ms = used(findings, 'fsps_ms')
  return {
    hub: cores(used(findings, 'hub_ms')),
    postgres: cores(used(findings, 'postgres_ms')),
    kafka: cores(used(findings, 'kafka_ms')),
    fsps: cores(fsps_ms),
    others: cores(used(findings, 'machine_ms') - counted_ms(findings) - fsps_ms),
  }
}

function cpuOfEach(findings: Findings, committed: number) {
  const cpu = (part: CpuPart) => round(used(findings, part) / committed)
  return {
    hub: cpu('hub_ms'),
    hub_main_thread: cpu('hub_main_thread_ms'),
    postgres: cpu('postgres_ms'),
    kafka: cpu('kafka_ms'),
    total: round(counted_ms(findings) / committed),
    fsps_not_counted: cpu('fsps_ms'),
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
  const isSigned = options.signed !== undefined
  return {
    fsync: settings.fsync && settings.synchronous_commit,
    identity: options.identity,
    jws_verify: isSigned && probed.refusesChangedBody ? options.signed : false,
    jws_sign: isSigned && probed.signsItsOwn,
    quotes_stored: options.legs.includes('quote'),
  }
}

function retainedTooMuch(
  { payments }: BenchOptions,
  { kept_bytes_per_transaction: retained }: Findings,
) {
  if (payments < retainedFrom_min || retained <= retained_bytes_max) return []
  return [`each payment left ${retained} bytes in the hub: it may not forget what is done`]
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

/** The busiest first. */
function profilesOf(profiles: ReadonlyMap<string, Profile>, payments: number) {
  // The hub in one process and the FSPs are two processes.
  const each_max = profiles.size > 2 ? functionsOfEach_max : functions_max
  return [...profiles]
    .map(([name, profile]) => ({ name, ...profileOf(profile, payments, each_max) }))
    .sort((a, b) => b.busy_ms_per_transaction - a.busy_ms_per_transaction)
}

function profileOf({ busy_us, functions, parts }: Profile, payments: number, each_max: number) {
  const entry = ({ name, us }: Profile['parts'][number]) => ({
    name,
    percent: Math.round((us * 1_000) / busy_us) / 10,
    us_per_transaction: Math.round(us / payments),
  })
  return {
    busy_ms_per_transaction: round(busy_us / 1_000 / payments),
    parts: parts.slice(0, each_max).map(entry),
    functions: functions.slice(0, each_max).map(entry),
  }
}

/** CPU ms per payment of each service, over all its processes, the most expensive first. */
function byService(opened: CpuUse, closed: CpuUse, payments: number) {
  const services = new Map<string, number>()
  for (const [name, ms] of Object.entries(closed.processes_ms)) {
    const service = serviceOf(name as ProcessName)
    const used_ms = ms - (opened.processes_ms[name] ?? 0)
    services.set(service, (services.get(service) ?? 0) + used_ms)
  }
  return Object.fromEntries(
    [...services]
      .sort(([, a], [, b]) => b - a)
      .map(([service, ms]) => [service, round(ms / payments)]),
  )
}

/** The most frequent statements. */
function statementsOf({ opened, closed }: Findings, payments: number) {
  const before = new Map(opened.statements.map((statement) => [statement.name, statement]))
  return closed.statements
    .map(({ name, count, us }) => ({
      name: name.slice(0, statement_chars_max),
      count: round((count - (before.get(name)?.count ?? 0)) / payments),
      us_per_transaction: Math.round((us - (before.get(name)?.us ?? 0)) / payments),
    }))
    .sort((a, b) => b.count - a.count)
    .slice(0, statements_max)
}

function round(n: number): number {
  return Math.round(n * 1_000) / 1_000
}

/** Lines of two columns, followed by the profile if there is one. */
export function tableOf(report: Report): string {
  const { cpu_ms_per_transaction: cpu, per_transaction: each, cores_used: cores } = report
  const { guarantees, machine } = report
  const rows: readonly (readonly [string, string])[] = [
    ['load', `${report.load}, ${report.fsps} FSPs, ${report.rate} payments begun per second`],
    ...apartRows(report),
    ['payments', `${report.transactions} measured in ${report.window_s} s`],
    ['failed', `${report.failed} ${report.failed === 0 ? '' : JSON.stringify(report.failures)}`],
    ...refusedRows(report),
    ['throughput', `${report.tps} per second, ${report.tps_per_used_core} per used core`],
    ...latencyRows('latency', report),
    ...Object.entries(report.legs).flatMap(([leg, times]) => latencyRows(`  ${leg}`, times)),
    ...windowRows(report),
    ...disturbedRows(report.disturbed),
    ['generator late', `p50 ${report.lateness_ms.p50}  p99 ${report.lateness_ms.p99} ms`],
    ['CPU per payment', `${cpu.total} ms (FSPs not counted)`],
    ['  hub', `${cpu.hub} ms, of it ${cpu.hub_main_thread} in main threads`],
    ...serviceRows(report),
    ['  PostgreSQL', `${cpu.postgres} ms`],
    ...(report.apart === undefined ? [] : [['  Kafka', `${cpu.kafka} ms`] as const]),
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
    ['', `${report.kept_bytes_per_transaction} bytes more per payment, all garbage collected`],
    ['guarantees', JSON.stringify(guarantees)],
    ['relaxations', report.relaxations.join(', ') || 'none'],
    ['machine', `${machine.cores} cores, ${machine.cpu}, Node.js ${machine.node}`],
    ['', `${machine.node_http_us_per_post} µs per POST of a bare node:http server`],
    ['', `${machine.rs256_us_per_signature} µs per RS256 signature`],
    ['', `${machine.wakeup_us} µs per byte to another process and back, both asleep before`],
    ['verify', report.verify === 'clean' ? 'clean' : JSON.stringify(report.verify)],
    ...report.remarks.map((remark) => ['weak', remark] as const),
    ...report.missed.map((missed) => ['MISSED', missed] as const),
    ...report.faults.map((fault) => ['WRONG', fault] as const),
  ]
  const lines = rows.map(([name, value]) => `${name.padEnd(18)}${value}`.trimEnd())
  return [...lines, ...profileLines(report)].map((line) => `${line}\n`).join('')
}

function apartRows({ apart }: Report) {
  if (apart === undefined) return []
  return [['services', `apart, on Kafka, ${apart} of each on the way of a payment`]] as const
}

function refusedRows({ refused, refused_by_leg: legs }: Report) {
  if (refused === 0) return []
  const byLeg = Object.entries(legs).map(([leg, count]) => `${leg} ${count}`)
  return [
    ['refused', `${refused}, for the hub was too busy (503 and 2005): ${byLeg.join('  ')}`],
  ] as const
}

function serviceRows({ cpu_ms_by_service: services = {} }: Report) {
  return Object.entries(services).map(([name, ms]) => ['', `${name.padEnd(24)}${ms} ms`] as const)
}

function windowRows({ windows_closed: closed }: Report) {
  if (closed === undefined) return []
  const { count, ms } = closed
  return [['windows closed', `${count}, each in p50 ${ms.p50}  max ${ms.max} ms`]] as const
}

function disturbedRows(disturbed: Disturbed | undefined) {
  if (disturbed === undefined) return []
  const { kind, refused, flood, before, firstSecond, during } = disturbed
  const latencies = ({ p50, p95, p99, max }: Latencies['latency_ms']) =>
    `p50 ${p50}  p95 ${p95}  p99 ${p99}  max ${max} ms in the hub`
  return [
    [`before ${kind}`, latencies(before)],
    ['  first second', latencies(firstSecond)],
    ['  all of it', latencies(during)],
    ['  refused', `${refused.before} before, ${refused.during} during it`],
    ...(flood === undefined
      ? []
      : [['  the flood', `${flood.accepted} accepted, ${flood.refused} refused`] as const]),
  ] as const
}

function latencyRows(name: string, { latency_ms, hub_latency_ms }: Latencies) {
  const text = ({ p50, p95, p99, max }: Latencies['latency_ms']) =>
    `p50 ${p50}  p95 ${p95}  p99 ${p99}  max ${max} ms`
  return [
    [name, text(latency_ms)],
    ['', `${text(hub_latency_ms)} in the hub`],
  ] as const
}

function profileLines({ profile, events_per_transaction }: Report): readonly string[] {
  if (profile === undefined) return []
  const line = ({ name, percent, us_per_transaction }: ProfileLine) =>
    `${String(percent).padStart(6)} % ${String(us_per_transaction).padStart(6)} µs  ${name}`
  return [
    ...profile.processes.flatMap(({ name, busy_ms_per_transaction, parts, functions }) => [
      `the main thread of ${name}, ${busy_ms_per_transaction} ms per payment (with the time it waited`,
      'for a core while it was runnable), by part of the hub',
      ...parts.map(line),
      'by function',
      ...functions.map(line),
    ]),
    'SQL statements per payment, and the time of PostgreSQL in them',
    ...profile.statements.map(
      ({ name, count, us_per_transaction }) =>
        `${String(count).padStart(8)} ${String(us_per_transaction).padStart(6)} µs  ${name}`,
    ),
    'events per payment',
    ...events_per_transaction.map(({ name, count }) => `${String(count).padStart(8)}  ${name}`),
  ]
}
