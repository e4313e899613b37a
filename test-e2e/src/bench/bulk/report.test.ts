import { expect, test } from '@jest/globals'
import { readOptions, type BenchOptions } from '../options.ts'
import type { Quantiles } from '../quantiles.ts'
import { bulkReportOf, type BulkFindings } from './report.ts'

const [options] = readOptions(['--load', 'bulk', '--bulks', '2']).runs as readonly [BenchOptions]
const machine = {} as Parameters<typeof bulkReportOf>[1]

function used(hub_ms: number, postgres_ms: number) {
  const rest = { hub_main_thread_ms: 0, kafka_ms: 0, fsps_ms: 0, machine_ms: 0 }
  return { hub_ms, postgres_ms, processes_ms: {}, ...rest }
}

const times = (p99: number): Quantiles => ({ p50: 1, p95: 1, p99, max: p99 })

function singles(p99: number) {
  const latencies = { latency_ms: times(p99), hub_latency_ms: times(p99) }
  const result = { measured: { ...latencies, legs: {} }, lateness_ms: times(0) }
  return { result, used: used(300, 100), committed: 100 } as unknown as BulkFindings['alone']
}

function findings({ item_ms = 1.5, p99 = 150, memory_mb = 400 }): BulkFindings {
  const result = { done: 2, failures: {}, busy: 0, latency_ms: times(1), window_ms: 1 }
  const half = used(item_ms * 500, item_ms * 500)
  return {
    legs: [
      { leg: 'quote', result, used: half },
      { leg: 'transfer', result, used: half },
    ],
    alone: singles(100),
    beside: singles(p99),
    bulksBeside: result,
    memory_mb: { before: 100, most: memory_mb },
    faults: [],
  }
}

test('The legs of an item together are compared with a whole single payment', () => {
  const report = bulkReportOf(options, machine, findings({}))
  expect(report).toMatchObject({
    legs: [{ cpu_ms_per_item: { total: 0.75 } }, { cpu_ms_per_item: { total: 0.75 } }],
    item_cpu_ms: 1.5,
    single: { cpu_ms_per_transaction: { total: 4 } },
    item_of_single: 0.375,
    p99_beside_of_alone: 1.5,
    missed: [],
  })
})

test('An item that costs too much, a p99 that grows too much and too much memory are reported as missed', () => {
  const { missed } = bulkReportOf(
    options,
    machine,
    findings({ item_ms: 1.6, p99: 151, memory_mb: 401 }),
  )
  expect(missed).toEqual([
    'an item costs 0.4 of a single payment',
    'the p99 of single payments is 1.51 times that alone',
    'the hub took 301 MB more',
  ])
})
