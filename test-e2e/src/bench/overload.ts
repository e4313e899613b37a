/**
 * How a hub behaves beyond its capacity: runs at the highest rate, at one and a half times and at
 * twice of it. The highest rate is the most that was made in any of them, so that the machine is
 * its own reference.
 */
import type { BenchReport } from './report.ts'

export const overloads = [1, 1.5, 2] as const

const made_min = 0.9
const p99_ms_max = 1_500

/** One sentence for each requirement that a run does not meet. */
export function missedByOverload(reports: readonly BenchReport[]): readonly string[] {
  const highest = Math.max(...reports.map(({ tps }) => tps))
  return reports.flatMap((report) => {
    const run = `${report.load}, ${report.rate} begun per second`
    const { tps, latency_ms, refused_by_payer: refused, load } = report
    const others = load === 'hot' ? refused.slice(1).reduce((sum, n) => sum + n, 0) : 0
    return [
      ...(tps < made_min * highest
        ? [`${run}: ${tps} made per second, of ${highest} that can be; wanted are 90 %`]
        : []),
      ...(latency_ms.p99 > p99_ms_max
        ? [`${run}: a p99 of ${latency_ms.p99} ms; wanted are at most ${p99_ms_max}`]
        : []),
      ...(others > 0 ? [`${run}: ${others} payments were refused of FSPs that are not hot`] : []),
    ]
  })
}

/** Lines with the share of the highest rate that each run made. */
export function overloadTable(reports: readonly BenchReport[]): string {
  const highest = Math.max(...reports.map(({ tps }) => tps))
  const lines = reports.map(({ load, rate, tps, latency_ms: { p50, p99 }, refused }) =>
    [
      `${load}, ${rate} per second`.padEnd(26),
      `${((tps * 100) / highest).toFixed(0)} % of ${highest} made`.padEnd(26),
      `p50 ${p50}  p99 ${p99} ms`.padEnd(30),
      `${refused} refused`,
    ].join(''),
  )
  return lines.map((line) => `${line}\n`).join('')
}
