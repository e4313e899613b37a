import { expect, test } from '@jest/globals'
import type { Report } from '../report.ts'
import { partsTable, sumTable, timesOf, type Costs } from './sum.ts'

const loop: Costs = {
  in_us: 100,
  out_us: 50,
  verify_us: 20,
  commit_us: 200,
  statement_us: 10,
  row_us: 5,
  event_us: 30,
}
const pace: Costs = {
  in_us: 200,
  out_us: 60,
  verify_us: 100,
  commit_us: 210,
  statement_us: 12,
  row_us: 5,
  event_us: 5,
}
const report = {
  load: 'uniform',
  rate: 90,
  per_transaction: { sql_statements: 20, commits: 5, rows_written: 60, events: 10 },
  cpu_ms_per_transaction: { total: 5 },
} as unknown as Report

test('Each part counts as often as the run counted it', () => {
  expect(timesOf(report)).toEqual({
    messages: 6,
    signatures: 5,
    statements: 20,
    rows: 40,
    commits: 5,
    events: 10,
  })
})

test('The parts of a payment are summed with either cost, each as often as it occurs', () => {
  // 600 in, 100 checked, 300 out, 200 of statements, 200 of rows, 1,000 of commits, 300 of events;
  // and 1,200, 500, 360, 240, 200, 1,050 and 50.
  expect(sumTable(loop, pace, report).split('\n')).toEqual([
    '| uniform, 90 payments per second | times | µs each in a loop | µs each at this pace | µs per payment in a loop | µs per payment at this pace |',
    '| --- | --: | --: | --: | --: | --: |',
    '| messages in | 6.0 | 100 | 200 | 600 | 1200 |',
    '| signatures checked | 5.0 | 20.0 | 100 | 100 | 500 |',
    '| callbacks out | 6.0 | 50.0 | 60.0 | 300 | 360 |',
    '| SQL statements | 20.0 | 10.0 | 12.0 | 200 | 240 |',
    '| further rows | 40.0 | 5.0 | 5.0 | 200 | 200 |',
    '| commits | 5.0 | 200 | 210 | 1000 | 1050 |',
    '| events | 10.0 | 30.0 | 5.0 | 300 | 50.0 |',
    '| sum of the parts |  |  |  | 2700 | 3600 |',
    '| the hub with PostgreSQL |  |  |  | 5000 | 5000 |',
    '| the hub, times the sum |  |  |  | 1.85 | 1.39 |',
    '',
  ])
})

test('The table lists each part with its cost', () => {
  const table = partsTable({ ...loop, post_us: 40, sign_us: 700, call_us: 190 })
  expect(table).toContain('| RS256 signature made | 700 |\n')
})
