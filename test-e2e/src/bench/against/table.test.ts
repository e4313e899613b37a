import { expect, test } from '@jest/globals'
import type { CpuUse } from '../cpu.ts'
import { againstTable, doubtsOf, ratioOf } from './table.ts'
import type { Window } from './window.ts'

const times = { p50: 20, p95: 30, p99: 40, max: 50 }
const cpu: CpuUse = {
  hub_ms: 600,
  hub_main_thread_ms: 400,
  processes_ms: {},
  postgres_ms: 200,
  kafka_ms: 0,
  fsps_ms: 100,
  machine_ms: 1_000,
}
const window: Window = {
  load_s: 10,
  made: 100,
  refused: 0,
  cpu,
  database: {
    sql_statements: 2_000,
    commits: 1_500,
    rows_written: 3_000,
    events: NaN,
    bytes_stored: 4_000_000,
    wal_bytes: 5_000_000,
    wal_fsyncs: 900,
  },
  counts: { round_trips: 1_900, broker_requests: 0, allocated_bytes: 100_000_000 },
  records: NaN,
  latencies: { latency_ms: times, hub_latency_ms: times },
  others_cores: 0.05,
}
const cpuOf = ({ cpu: { hub_ms }, made }: Window) => hub_ms / made
const using = (hub_ms: number) => ({ ...window, cpu: { ...cpu, hub_ms } })

test('The ratio is that of windows which followed each other, whatever slowed the machine', () => {
  const slow = [1, 3, 2]
  const one = slow.map((times) => using(100 * times))
  const other = slow.map((times) => using(150 * times))
  const ratio = ratioOf(cpuOf, one, other)
  expect(ratio?.mean).toBeCloseTo(1.5)
  expect(ratio?.from).toBeCloseTo(1.5)
  expect(ratio?.to).toBeCloseTo(1.5)
})

test('The interval is as wide as the ratios of the windows differ', () => {
  const one = [using(100), using(100), using(100)]
  const ratio = ratioOf(cpuOf, one, [using(100), using(110), using(121)])
  expect(ratio?.mean).toBeCloseTo(1.1)
  expect(ratio?.from).toBeLessThan(1)
  expect(ratio?.to).toBeGreaterThan(1.2)
})

test('What one hub does not count has no ratio, and what neither counts no line', () => {
  expect(ratioOf(({ records }) => records, [window, window], [window, window])).toBeUndefined()
  const apart = { ...window, records: 1_700 }
  const sides = [window, apart].map((each, n) => ({ name: `hub ${n}`, windows: [each, each] }))
  const [one, other] = sides
  if (one === undefined || other === undefined) throw new Error('there are two')
  const lines = againstTable(10, one, other).split('\n')
  expect(lines.find((line) => line.startsWith('records'))).toMatch(/^records +– +17\.0$/)
  expect(lines.find((line) => line.startsWith('events'))).toBeUndefined()
  expect(lines.find((line) => line.startsWith('CPU ms a payment'))).toMatch(/8\.00 +8\.00 +1\.00/)
})

test('Few windows and a busy machine give no verdict, and say so', () => {
  const many = Array.from({ length: 12 }, () => window)
  expect(doubtsOf([{ name: 'one', windows: many }])).toEqual([])
  expect(doubtsOf([{ name: 'one', windows: [window] }])).toEqual([
    '1 windows of each are fewer than 12',
  ])
  const busy = many.map((each) => ({ ...each, others_cores: 0.9 }))
  expect(doubtsOf([{ name: 'one', windows: busy }])).toEqual([
    'other programs took 0.90 cores: the machine was busy',
  ])
})
