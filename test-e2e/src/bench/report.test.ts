import { expect, test } from '@jest/globals'
import { readOptions, type BenchOptions } from './options.ts'
import { reportOf, tableOf, type Findings, type CounterReading } from './report.ts'

const quantiles = { p50: 10, p95: 20, p99: 30, max: 40 }
const latencies = { latency_ms: quantiles, hub_latency_ms: quantiles }
const opened: CounterReading = {
  at_ms: 5_000,
  committed: 100,
  cpu: {
    hub_ms: 900,
    hub_main_thread_ms: 800,
    processes_ms: { transfers: 300, 'transfers-2': 200, quoting: 400 },
    postgres_ms: 500,
    kafka_ms: 0,
    fsps_ms: 300,
    machine_ms: 9_000,
  },
  database: {
    sql_statements: 100,
    commits: 50,
    rows_written: 200,
    events: 1_000,
    bytes_stored: 1_000_000,
    wal_bytes: 5_000_000,
    wal_fsyncs: 10,
  },
}
const closed: CounterReading = {
  at_ms: 15_000,
  committed: 2_100,
  cpu: {
    hub_ms: 4_900,
    hub_main_thread_ms: 3_800,
    processes_ms: { transfers: 1_300, 'transfers-2': 1_200, quoting: 2_400 },
    postgres_ms: 2_500,
    kafka_ms: 0,
    fsps_ms: 3_300,
    machine_ms: 19_000,
  },
  database: {
    sql_statements: 6_100,
    commits: 3_050,
    rows_written: 40_200,
    events: 35_000,
    bytes_stored: 41_000_000,
    wal_bytes: 65_000_000,
    wal_fsyncs: 4_010,
  },
}
const findings: Findings = {
  result: {
    measured: { ...latencies, legs: { transfer: latencies } },
    lateness_ms: { p50: 1, p95: 2, p99: 3, max: 4 },
    totals: {
      begun: 2_500,
      committed: 2_500,
      refused: 0,
      refusedByPayer: [],
      failures: {},
      repeated: 0,
      legs: {},
    },
  },
  opened,
  closed,
  probed: { refusesChangedBody: true, refusesOthersName: true, signsItsOwn: true },
  settings: { fsync: true, synchronous_commit: true },
  machine: {
    node_http_us_per_post: 20,
    cores: 2,
    cpu: 'a processor',
    node: 'v20.19.0',
  },
  hub_memory_mb: 300,
  verify: { clean: true },
  faults: [],
}
const [options] = readOptions(['--payments', '2000']).runs as readonly [BenchOptions]

test('Every figure is reported per payment that ended within the window', () => {
  const report = reportOf(options, findings)
  expect(report).toMatchObject({ tps: 200, transactions: 2_000, failed: 0, verify: 'clean' })
  expect(report.cpu_ms_per_transaction).toEqual({
    hub: 2,
    hub_main_thread: 1.5,
    postgres: 1,
    kafka: 0,
    total: 3,
    fsps_not_counted: 1.5,
  })
  expect(report.per_transaction).toEqual({
    sql_statements: 3,
    commits: 1.5,
    rows_written: 20,
    events: 17,
    bytes_stored: 20_000,
    wal_bytes: 30_000,
    wal_fsyncs: 2,
  })
})

test('Services that run apart are reported one by one, with all their processes and the broker', () => {
  const cpu = { ...closed.cpu, kafka_ms: 1_000 }
  const report = reportOf({ ...options, apart: 2 }, { ...findings, closed: { ...closed, cpu } })
  expect(report.cpu_ms_per_transaction).toMatchObject({ kafka: 0.5, total: 3.5 })
  expect(report.cpu_ms_by_service).toEqual({ quoting: 1, transfers: 1 })
  const table = tableOf(report)
  expect(table).toContain('services          apart, on Kafka, 2 of each on the way\n')
  expect(table).toContain('                  transfers               1 ms\n')
  expect(table).toContain('  Kafka           0.5 ms\n')
  expect(tableOf(reportOf(options, findings))).not.toContain('  Kafka  ')
})

test('CPU time of other programs is reported separately', () => {
  const report = reportOf(options, findings)
  expect(report.cores_used).toEqual({ hub: 0.4, postgres: 0.2, kafka: 0, fsps: 0.3, others: 0.1 })
})

test('A guarantee is reported only where it was observed', () => {
  const probed = { refusesChangedBody: false, refusesOthersName: true, signsItsOwn: true }
  expect(reportOf(options, findings).guarantees).toEqual({
    fsync: true,
    identity: 'mtls',
    jws_verify: 'RS256',
    jws_sign: true,
    quotes_stored: true,
  })
  expect(reportOf(options, { ...findings, probed }).guarantees.jws_verify).toBe(false)
})

test('A generator that may have been the limit causes a remark', () => {
  const late = { ...findings.result, lateness_ms: { p50: 1, p95: 2, p99: 90, max: 100 } }
  const report = reportOf(options, { ...findings, result: late })
  expect(report.remarks).toEqual(['1 % of the payments were begun 90 ms late or later'])
})

test('A hub that could not keep up causes a remark', () => {
  const report = reportOf({ ...options, rate: 220 }, findings)
  expect(report.remarks).toEqual([
    'more payments began than ended: the figures per payment include work for the others',
  ])
})

test('A machine with other work causes a remark', () => {
  const cpu = { ...closed.cpu, machine_ms: 23_000 }
  const report = reportOf(options, { ...findings, closed: { ...closed, cpu } })
  expect(report.remarks).toEqual([
    'other work on this machine took 0.5 cores: it is in the latencies',
  ])
})

test('The table shows the cost, what was refused, and faults', () => {
  const { totals } = findings.result
  const legs = { lookup: { commands: 0, refused: 3, requests: 0, callbacks: 0 } }
  const result = { ...findings.result, totals: { ...totals, refused: 3, legs } }
  const faults = ['1 of 2500 payments failed']
  const table = tableOf(reportOf(options, { ...findings, result, faults }))
  expect(table).toContain('CPU per payment   3 ms (FSPs not counted)\n')
  expect(table).toContain(
    'refused           3, for the hub was too busy (503 and 2005): lookup 3\n',
  )
  expect(table).toContain('WRONG             1 of 2500 payments failed\n')
  expect(tableOf(reportOf(options, findings))).not.toContain('refused')
})
