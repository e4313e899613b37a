/**
 * Compares a report with an earlier one by ratios. The figures of the machine come first, so that a
 * slower machine, or the same machine at a slower hour, is not taken for slower software.
 */
import type { BenchReport } from './report.ts'

interface Figure {
  readonly name: string
  readonly of: (report: BenchReport) => number | undefined
}

const figures: readonly Figure[] = [
  { name: 'µs per POST of a bare server', of: ({ machine }) => machine.node_http_us_per_post },
  { name: 'cores used by others', of: (report) => report.cores_used.others },
  { name: 'payments per second', of: (report) => report.tps },
  { name: 'refused', of: (report) => report.refused },
  { name: 'CPU-ms per payment', of: (report) => report.cpu_ms_per_transaction.total },
  { name: '  hub', of: (report) => report.cpu_ms_per_transaction.hub },
  { name: '  PostgreSQL', of: (report) => report.cpu_ms_per_transaction.postgres },
  { name: '  Kafka', of: ({ apart, cpu_ms_per_transaction: { kafka } }) => apart && kafka },
  { name: '  FSPs, not counted', of: (report) => report.cpu_ms_per_transaction.fsps_not_counted },
  { name: 'p50 ms in the hub', of: (report) => report.hub_latency_ms.p50 },
  { name: 'p99 ms in the hub', of: (report) => report.hub_latency_ms.p99 },
  { name: '  lookup', of: ({ legs }) => legs.lookup?.hub_latency_ms.p99 },
  { name: '  quote', of: ({ legs }) => legs.quote?.hub_latency_ms.p99 },
  { name: '  transfer', of: ({ legs }) => legs.transfer?.hub_latency_ms.p99 },
  { name: 'SQL statements', of: (report) => report.per_transaction.sql_statements },
  { name: 'commits', of: (report) => report.per_transaction.commits },
  { name: 'rows written', of: (report) => report.per_transaction.rows_written },
  { name: 'events', of: ({ apart, per_transaction: each }) => (apart ? undefined : each.events) },
  { name: 'bytes stored', of: (report) => report.per_transaction.bytes_stored },
  { name: 'bytes of WAL', of: (report) => report.per_transaction.wal_bytes },
  { name: 'MB of memory', of: (report) => report.hub_memory_mb },
]

/**
 * Lines of name, earlier value, value and ratio; a run without an equivalent in the earlier report
 * is left out.
 */
export function comparisonOf(now: readonly BenchReport[], earlier: readonly BenchReport[]): string {
  const lines = now.flatMap((report) => {
    const like = earlier.find((one) => isLike(report, one))
    return like === undefined ? [] : compared(report, like)
  })
  if (lines.length === 0) return 'the earlier report has no run of this kind and rate\n'
  return lines.map((line) => `${line}\n`).join('')
}

function isLike(report: BenchReport, { load, fsps, rate, apart }: BenchReport): boolean {
  const isSameHub = report.fsps === fsps && report.apart === apart
  return isSameHub && report.load === load && report.rate === rate
}

function compared(now: BenchReport, earlier: BenchReport): readonly string[] {
  const heading = row([`${now.load}, ${now.rate} per second`, 'earlier', 'now', 'ratio'])
  const rows = figures.flatMap(({ name, of }) => {
    const [was, is] = [of(earlier), of(now)]
    if (was === undefined || is === undefined) return []
    return [row([name, String(was), String(is), was === 0 ? '' : (is / was).toFixed(2)])]
  })
  return [heading, ...rows]
}

function row([name = '', ...cells]: readonly string[]): string {
  return `${name.padEnd(30)}${cells.map((cell) => cell.padStart(12)).join('')}`.trimEnd()
}
