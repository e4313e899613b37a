import { expect, test } from '@jest/globals'
import type { Report } from '../report.ts'
import { partsTable, sumTable, type Costs } from './sum.ts'

const costs: Costs = {
  post_us: 40,
  in_us: 100,
  out_us: 50,
  verify_us: 20,
  sign_us: 700,
  call_us: 1_000,
  commit_us: 200,
  statement_us: 10,
  row_us: 5,
  event_us: 30,
}
const report = {
  load: 'uniform',
  rate: 90,
  per_transaction: { sql_statements: 20, commits: 5, rows_written: 60, events: 10 },
  cpu_ms_per_transaction: { total: 5 },
} as unknown as Report

test('the parts of a payment are summed, each as often as it comes', () => {
  // 600 in, 100 checked, 300 out, 200 of calls, 200 of statements, 200 of rows, 1,000 of commits, 300 of events.
  const rows = sumTable(costs, report).split('\n')
  expect(rows).toContain('| sum of the parts |  |  | 2900 |')
  expect(rows).toContain('| the hub, times the sum |  |  | 1.72 |')
})

test('each part is told with what it takes', () => {
  expect(partsTable(costs)).toContain('| RS256 signature made | 700 |\n')
})
