import { expect, test } from '@jest/globals'
import { comparisonOf } from './compare.ts'
import { pageOf } from './page.ts'
import type { Report } from './report.ts'
import type { ThirdPartyReport } from './thirdparty/run.ts'

const quantiles = { p50: 100, p95: 150, p99: 200, max: 300 }
const times = { latency_ms: quantiles, hub_latency_ms: quantiles }

function report(change: Partial<Report> = {}): Report {
  return {
    load: 'uniform',
    apart: undefined,
    fsps: 8,
    rate: 90,
    transactions: 1_000,
    refused: 0,
    refused_by_payer: [],
    refused_by_leg: {},
    unanswered: 0,
    disturbed: undefined,
    missed: [],
    failed: 0,
    failures: {},
    window_s: 10,
    tps: 90,
    tps_per_used_core: 60,
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
    events_per_transaction: [],
    bytes_stored_at_start: 1_000,
    hub_memory_mb: 300,
    kept_bytes_per_transaction: 100,
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
      rs256_us_per_signature: 700,
      wakeup_us: 300,
      cores: 2,
      cpu: 'a processor <of 2>',
      node: 'v20.19.0',
    },
    profile: undefined,
    windows_closed: undefined,
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

test('A figure of the machine that an earlier report does not have is left out of the comparison', () => {
  const { wakeup_us, ...machine } = report().machine
  const earlier = { ...report(), machine } as Report
  expect(comparisonOf([report()], [report()])).toMatch(
    new RegExp(`byte there and back +${wakeup_us} +${wakeup_us} +1\\.00\n`),
  )
  expect(comparisonOf([report()], [earlier])).not.toContain('byte there and back')
})

test('Only runs at the same load and rate are compared', () => {
  const runs = [report({ rate: 45 }), report()]
  expect(comparisonOf(runs, [report()])).not.toContain('45 per second')
  expect(comparisonOf([report({ load: 'hot' })], [report()])).toBe(
    'the earlier report has no run of this kind and rate\n',
  )
})

test('A third-party leg is compared with the same leg at the same rate in the same kind of hub', () => {
  const link = (change: Partial<ThirdPartyReport>): ThirdPartyReport => ({
    legs: 'link',
    apart: undefined,
    rate: 5,
    transactions: 100,
    failed: 0,
    failures: {},
    tps: 5,
    latency_ms: quantiles,
    cpu_ms_per_transaction: {
      hub: 40,
      hub_main_thread: 30,
      postgres: 20,
      kafka: 0,
      total: 60,
      fsps_not_counted: 70,
    },
    guarantees: { identity: 'mtls', signed: 'RS256' },
    relaxations: [],
    faults: [],
    machine: report().machine,
    ...change,
  })
  const earlier = [
    report({ rate: 5 }),
    link({ legs: 'third-party-payment' }),
    link({ apart: 1 }),
    link({ tps: 2.5 }),
  ]
  const lines = comparisonOf([link({})], earlier).split('\n')
  expect(lines[0]).toMatch(/^link, 5 per second +earlier +now +ratio$/)
  expect(lines.find((line) => line.startsWith('made per second'))).toMatch(/ 2\.5 +5 +2\.00$/)
  expect(lines.some((line) => line.includes('Kafka'))).toBe(false)
  expect(comparisonOf([link({ apart: 1 })], earlier)).toContain('Kafka')
  expect(comparisonOf([link({ rate: 10 })], earlier)).toContain('no run of this kind')
})

test('The page draws each run at its rate, in the order of the rates, and escapes its texts', () => {
  const page = pageOf([report({ rate: 180, tps: 160 }), report({ rate: 90 })])
  expect(page).toContain('uniform: payments made per second (per second)')
  expect(page).toContain('a processor &lt;of 2>')
  // 90 of 180 is the middle of the axis, 180 its end; 200 is the highest tick.
  const made = /<polyline points="([^"]+)"/.exec(page)?.[1]
  expect(made).toBe('275.0,150.2 490.0,64.8')
})

test('A page of one run has its points and loads nothing from elsewhere', () => {
  const page = pageOf([report()])
  expect(page.match(/<circle/g)?.length).toBeGreaterThan(10)
  expect(page).not.toMatch(/<script|src=|href=/)
})
