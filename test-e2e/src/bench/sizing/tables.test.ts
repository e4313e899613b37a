import { describe, expect, test } from '@jest/globals'
import type { Point } from './results.ts'
import { median, tablesOf, withTables } from './tables.ts'

const uses = { commits: 1, rows_written: 1, events: 1, bytes_stored: 1, wal_fsyncs: 1 }

function point(size: number, hub: number, changed: Partial<Point['report']> = {}): Point {
  return {
    size,
    wasVerified: true,
    report: {
      rate: 60,
      transactions: 1_800,
      apart: undefined,
      cpu_ms_per_transaction: costs(hub, 0),
      cpu_ms_by_service: undefined,
      latency_ms: { p50: 20, p95: 40, p99: 61.4, max: 70 },
      per_transaction: { ...uses, sql_statements: 8.25, wal_bytes: 21_000 },
      bytes_stored_at_start: 40_000_000,
      cores_used: { hub: 0.5, postgres: 0.2, kafka: 0, fsps: 0.2, others: 0.1 },
      machine: { node_http_us_per_post: 20, cores: 2, cpu: 'a processor', node: 'v24.0.0' },
      verify: 'clean',
      faults: [],
      ...changed,
    },
  }
}

function costs(hub: number, kafka: number) {
  const total = hub + 0.5 + kafka
  return { hub, hub_main_thread: hub, postgres: 0.5, kafka, total, fsps_not_counted: 1 }
}

const stored = [point(0, 2), point(0, 2.5), point(0, 1.5), point(1_000_000, 2.1)]

test('Each size is a row with the median of its runs, their spread, and its ratio to the first size', () => {
  const rows = tablesOf({ stored, fsps: [], replicas: [] }).split('\n')
  expect(rows[0]).toBe(
    '| Stored transfers | CPU ms per payment | services | PostgreSQL | against the first | p50 / p95 / p99 ms | SQL | WAL KB | MB on disk | runs | cores of others | µs per bare POST |',
  )
  expect(rows[2]).toBe(
    '| 0 | **2.5** (2–3) | 2 | 0.5 | – | 20 / 40 / 61 | 8.25 | 21 | 40 | 3 | 0.1 | 20 |',
  )
  expect(rows[3]).toMatch(/^\| 1,000,000 \| \*\*2\.6\*\* \| 2\.1 \| 0\.5 \| \+4 % \|/)
  expect(rows).toContain(
    '60 payments begun per second, 1800 measured in each run, every payment was made; `verify`: clean.',
  )
})

test('Faults of a run are listed below its table', () => {
  const wrong = point(10, 2, { faults: ['3 of 1800 payments failed'], verify: { clean: false } })
  const text = tablesOf({ stored: [], fsps: [wrong], replicas: [] })
  expect(text).toContain('wrong: 10: 3 of 1800 payments failed; `verify`: NOT CLEAN.')
})

test('Services that run apart are listed one by one, with Kafka, which other tables do not have', () => {
  const apart = (size: number) =>
    point(size, 4, {
      apart: size,
      cpu_ms_per_transaction: costs(4, 0.75),
      cpu_ms_by_service: { transfers: 1.5, quoting: size / 10 },
    })
  const text = tablesOf({ stored: [], fsps: [], replicas: [apart(1), apart(2)] })
  expect(text).toContain('| Kafka |')
  expect(tablesOf({ stored, fsps: [], replicas: [] })).not.toContain('| Kafka |')
  expect(text).toContain('| CPU ms per payment | 1 of each | 2 of each |')
  expect(text).toContain('| quoting | 0.1 | 0.2 |')
})

describe('tables in the page', () => {
  const page = 'Above\n<!-- measured: npm run sizing -->\nold\n<!-- measured: end -->\nBelow\n'

  test('The tables replace the text between the marks of the page, each time they are printed', () => {
    const once = withTables(page, 'new\n')
    expect(once).toBe(
      'Above\n<!-- measured: npm run sizing -->\n\nnew\n\n<!-- measured: end -->\nBelow\n',
    )
    expect(withTables(once, 'new\n')).toBe(once)
  })

  test('A page without marks is refused', () => {
    expect(() => withTables('Above', 'new')).toThrow('the page has no lines')
  })
})

test('The median is the middle number, or the mean of the two in the middle', () => {
  expect([median([3]), median([1, 2]), median([9, 1, 5]), median([])]).toEqual([3, 1.5, 5, 0])
})
