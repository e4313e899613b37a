import { expect, test } from '@jest/globals'
import { comparisonOf } from './compare.ts'
import type { BenchReport } from './report.ts'

const quantiles = { p50: 100, p95: 150, p99: 200, max: 300 }
const times = { latency_ms: quantiles, hub_latency_ms: quantiles }

function report(change: Partial<BenchReport> = {}): BenchReport {
  return {
    load: 'uniform',
    apart: undefined,
    fsps: 8,
    rate: 90,
    transactions: 1_000,
    refused: 0,
    refused_by_payer: [],
    refused_by_leg: {},
    failed: 0,
    failures: {},
    window_s: 10,
    tps: 90,
    ...times,
    legs: { transfer: times },
    lateness_ms: quantiles,
    cpu_ms_per_transaction: {
      hub: 6,
      hub_main_thread: 5,
      postgres: 2,
      kafka: 0,
      total: 8,
      fsps_not_counted: 2,
    },
    cpu_ms_by_service: undefined,
    cores_used: { hub: 0.5, postgres: 0.2, kafka: 0, fsps: 0.2, others: 0 },
    per_transaction: {
      sql_statements: 12,
      commits: 8,
      rows_written: 20,
      events: 10,
      bytes_stored: 40_000,
      wal_bytes: 45_000,
      wal_fsyncs: 4,
    },
    bytes_stored_at_start: 1_000,
    hub_memory_mb: 300,
    verify: 'clean',
    faults: [],
    remarks: [],
    guarantees: {
      fsync: true,
      identity: 'mtls',
      jws_verify: 'RS256',
      jws_sign: true,
      quotes_stored: true,
    },
    relaxations: [],
    machine: {
      node_http_us_per_post: 40,
      cores: 2,
      cpu: 'a processor <of 2>',
      node: 'v20.19.0',
    },
    ...change,
  }
}

test('A comparison prints each figure next to its earlier value with their ratio, the machine first', () => {
  const earlier = report({ tps: 45, machine: { ...report().machine, node_http_us_per_post: 20 } })
  const lines = comparisonOf([report()], [earlier]).split('\n')
  expect(lines[0]).toMatch(/^uniform, 90 per second +earlier +now +ratio$/)
  expect(lines[1]).toMatch(/^µs per POST of a bare server +20 +40 +2\.00$/)
  expect(lines.find((line) => line.startsWith('payments per second'))).toMatch(/ 45 +90 +2\.00$/)
  expect(lines.find((line) => line.startsWith('cores used by others'))).toMatch(/ 0 +0$/)
})

test('Only runs at the same load and rate are compared', () => {
  const runs = [report({ rate: 45 }), report()]
  expect(comparisonOf(runs, [report()])).not.toContain('45 per second')
  expect(comparisonOf([report({ load: 'hot' })], [report()])).toBe(
    'the earlier report has no run of this kind and rate\n',
  )
})
