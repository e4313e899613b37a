import { describe, expect, test } from '@jest/globals'
import type { Point } from './results.ts'
import { median, tablesOf, withTables } from './tables.ts'

function point(size: number, hub: number, changed: Partial<Point> = {}): Point {
  return {
    size,
    rate: 60,
    payments: 1_800,
    failed: 0,
    cpu_ms: { hub, postgres: 0.5 },
    latency_ms: { p50: 20, p95: 40, p99: 61.4 },
    database: { statements: 8.25, wal_bytes: 21_000, bytes_at_start: 40_000_000 },
    others_cores: 0.1,
    load_before: 0.5,
    us_per_post: 20,
    verify: 'clean',
    faults: [],
    at: '2026-11-21T20:00:00.000Z',
    ...changed,
  }
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
  const wrong = point(10, 2, { faults: ['3 of 1800 payments failed'], verify: 'NOT CLEAN' })
  const text = tablesOf({ stored: [], fsps: [wrong], replicas: [] })
  expect(text).toContain('wrong: 10: 3 of 1800 payments failed; `verify`: NOT CLEAN.')
})

test('Services that run apart are listed one by one, with Kafka, which other tables do not have', () => {
  const cpu_ms = { hub: 4, postgres: 1, kafka: 0.75 }
  const apart = (size: number) =>
    point(size, 4, { cpu_ms, services: { transfers: 1.5, quoting: size / 10 } })
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
