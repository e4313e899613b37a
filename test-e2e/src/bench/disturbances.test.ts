import { expect, test } from '@jest/globals'
import { failureModeOf, isToFailing, missedBy, pairWithFailing } from './disturbances.ts'
import { missedByOverload, overloadTable } from './overload.ts'
import type { Report } from './report.ts'

const before = { p50: 20, p95: 30, p99: 40, max: 50 }

test('Where FSPs fail, one payment of three is between the healthy two, and the rest goes to each failing one', () => {
  const pairs = Array.from({ length: 900 }, (_, n) => pairWithFailing(5, n))
  const healthy = pairs.filter((_, n) => !isToFailing(n))
  expect(healthy).toHaveLength(300)
  expect(new Set(healthy.map(String))).toEqual(new Set(['0,1', '1,0']))
  const payees = pairs.filter((_, n) => isToFailing(n)).map(([, payee]) => payee)
  expect([2, 3, 4].map((fsp) => payees.filter((payee) => payee === fsp).length)).toEqual([
    200, 200, 200,
  ])
})

test('Three of five FSPs fail, each in its own way', () => {
  expect([0, 1, 2, 3, 4].map(failureModeOf)).toEqual([
    undefined,
    undefined,
    'HANGS',
    'REFUSES',
    'FAILS',
  ])
})

test('Where FSPs fail, the p50 may grow by 15 ms and the p95 by 40 ms, in the first second too', () => {
  const atTheLimit = { p50: 35, p95: 70, p99: 900, max: 900 }
  const over = { ...atTheLimit, p95: 71 }
  const of = (during: typeof before, firstSecond: typeof before) =>
    missedBy({ kind: 'ill', before, during, firstSecond })
  expect(of(atTheLimit, atTheLimit)).toEqual([])
  expect(of(atTheLimit, over)).toEqual([
    'ill: the p95 of others was 71 ms in its first second, 30 ms before; wanted is at most 40 ms more',
  ])
  expect(of({ ...over, p50: 36 }, atTheLimit)).toHaveLength(2)
})

test('Closing a window may raise the p99 by a tenth', () => {
  const of = (p99: number) =>
    missedBy({ kind: 'windows', before, during: { ...before, p99 }, firstSecond: before })
  expect(of(44)).toEqual([])
  expect(of(45)).toHaveLength(1)
})

function run(rate: number, tps: number, p99: number, refused_by_payer: readonly number[]): Report {
  const refused = refused_by_payer.reduce((sum, n) => sum + n, 0)
  const latency_ms = { p50: 100, p95: 200, p99, max: 9_000 }
  return { load: 'hot', rate, tps, latency_ms, refused, refused_by_payer } as unknown as Report
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
