import { expect, test } from '@jest/globals'
import { missedByOverload, overloadTable } from './overload.ts'
import type { BenchReport } from './report.ts'

function run(
  rate: number,
  tps: number,
  p99: number,
  refused_by_payer: readonly number[],
): BenchReport {
  const refused = refused_by_payer.reduce((sum, n) => sum + n, 0)
  const latency_ms = { p50: 100, p95: 200, p99, max: 9_000 }
  return { load: 'hot', rate, tps, latency_ms, refused, refused_by_payer } as unknown as BenchReport
}

test('Beyond its highest rate a hub makes nine tenths of it, in time, and refuses only the hot FSP', () => {
  const runs = [run(400, 390, 900, []), run(600, 400, 1_500, [90]), run(800, 360, 1_200, [300, 0])]
  expect(missedByOverload(runs)).toEqual([])
  expect(overloadTable(runs)).toContain('90 % of 400 made')
  const missed = [...runs, run(800, 359, 1_501, [300, 0, 2])]
  expect(missedByOverload(missed)).toEqual([
    'hot, 800 begun per second: 359 made per second, of 400 that can be; wanted are 90 %',
    'hot, 800 begun per second: a p99 of 1501 ms; wanted are at most 1500',
    'hot, 800 begun per second: 2 payments were refused of FSPs that are not hot',
  ])
})
