/**
 * Compares a report with an earlier one by ratios. The figures of the machine come first, so that a
 * slower machine, or the same machine at a slower hour, is not taken for slower software.
 */
import type { Disturbed } from './disturbances.ts'
import type { Machine } from './machine.ts'
import type { Report } from './report.ts'
import type { ThirdPartyReport } from './thirdparty/run.ts'

interface Figure<Of> {
  readonly name: string
  readonly of: (report: Of) => number | undefined
}

const ofMachine: readonly Figure<{ readonly machine: Machine }>[] = [
  { name: 'µs per POST of a bare server', of: ({ machine }) => machine.node_http_us_per_post },
  { name: 'µs per RS256 signature', of: ({ machine }) => machine.rs256_us_per_signature },
  { name: 'µs per byte there and back', of: ({ machine }) => machine.wakeup_us },
]

const figures: readonly Figure<Report>[] = [
  ...ofMachine,
  { name: 'cores used by others', of: (report) => report.cores_used.others },
  { name: 'payments per second', of: (report) => report.tps },
  { name: 'CPU-ms per payment', of: (report) => report.cpu_ms_per_transaction.total },
  { name: '  hub', of: (report) => report.cpu_ms_per_transaction.hub },
  { name: '  PostgreSQL', of: (report) => report.cpu_ms_per_transaction.postgres },
  { name: '  Kafka', of: ({ apart, cpu_ms_per_transaction: { kafka } }) => apart && kafka },
  { name: 'p50 ms in the hub', of: (report) => report.hub_latency_ms.p50 },
  { name: 'p99 ms in the hub', of: (report) => report.hub_latency_ms.p99 },
  { name: '  lookup', of: ({ legs }) => legs.lookup?.hub_latency_ms.p99 },
  { name: '  quote', of: ({ legs }) => legs.quote?.hub_latency_ms.p99 },
  { name: '  transfer', of: ({ legs }) => legs.transfer?.hub_latency_ms.p99 },
  { name: 'p50 disturbed : before', of: ({ disturbed }) => ratioOf(disturbed, 'p50') },
  { name: 'p95 disturbed : before', of: ({ disturbed }) => ratioOf(disturbed, 'p95') },
  { name: 'p99 disturbed : before', of: ({ disturbed }) => ratioOf(disturbed, 'p99') },
  { name: 'SQL statements', of: (report) => report.per_transaction.sql_statements },
  { name: 'commits', of: (report) => report.per_transaction.commits },
  { name: 'events', of: (report) => report.per_transaction.events },
  { name: 'bytes stored', of: (report) => report.per_transaction.bytes_stored },
  { name: 'MB of memory', of: (report) => report.hub_memory_mb },
]

function ratioOf(
  disturbed: Disturbed | undefined,
  quantile: 'p50' | 'p95' | 'p99',
): number | undefined {
  return disturbed && Number((disturbed.during[quantile] / disturbed.before[quantile]).toFixed(3))
}

const thirdPartyFigures: readonly Figure<ThirdPartyReport>[] = [
  ...ofMachine,
  { name: 'made per second', of: (report) => report.tps },
  { name: 'CPU-ms each', of: (report) => report.cpu_ms_per_transaction.total },
  { name: '  hub', of: (report) => report.cpu_ms_per_transaction.hub },
  { name: '  PostgreSQL', of: (report) => report.cpu_ms_per_transaction.postgres },
  { name: '  Kafka', of: ({ apart, cpu_ms_per_transaction: { kafka } }) => apart && kafka },
  { name: 'p50 ms', of: (report) => report.latency_ms.p50 },
  { name: 'p95 ms', of: (report) => report.latency_ms.p95 },
  { name: 'p99 ms', of: (report) => report.latency_ms.p99 },
]

/** Any run, of payments or of a third-party leg; the earlier file may have both. */
export type Compared = Report | ThirdPartyReport

/**
 * Lines of name, earlier value, value and ratio; a run without an equivalent in the earlier report
 * is left out.
 */
export function comparisonOf(now: readonly Compared[], earlier: readonly Compared[]): string {
  const lines = now.flatMap((report) => {
    if (isOfThirdParty(report)) {
      const like = earlier.filter(isOfThirdParty).find((one) => isLikeLeg(report, one))
      const what = `${report.legs}, ${report.rate} per second`
      return like === undefined ? [] : compared(what, thirdPartyFigures, report, like)
    }
    const like = earlier.filter(isOfPayments).find((one) => isLike(report, one))
    const what = `${report.load}, ${report.rate} per second`
    return like === undefined ? [] : compared(what, figures, report, like)
  })
  if (lines.length === 0) return 'the earlier report has no run of this kind and rate\n'
  return lines.map((line) => `${line}\n`).join('')
}

function isOfThirdParty(report: Compared): report is ThirdPartyReport {
  return typeof report.legs === 'string'
}

function isOfPayments(report: Compared): report is Report {
  return !isOfThirdParty(report)
}

function isLikeLeg(report: ThirdPartyReport, { legs, rate, apart }: ThirdPartyReport): boolean {
  return report.legs === legs && report.rate === rate && report.apart === apart
}

function isLike(report: Report, { load, fsps, rate, apart, disturbed }: Report): boolean {
  const isSameHub = report.fsps === fsps && report.apart === apart
  const isSameCourse = report.disturbed?.kind === disturbed?.kind
  return isSameHub && isSameCourse && report.load === load && report.rate === rate
}

function compared<Of>(
  what: string,
  of: readonly Figure<Of>[],
  now: Of,
  earlier: Of,
): readonly string[] {
  const heading = row([what, 'earlier', 'now', 'ratio'])
  const rows = of.flatMap((figure) => {
    const [was, is] = [figure.of(earlier), figure.of(now)]
    if (was === undefined || is === undefined) return []
    return [row([figure.name, String(was), String(is), was === 0 ? '' : (is / was).toFixed(2)])]
  })
  return [heading, ...rows]
}

function row([name = '', ...cells]: readonly string[]): string {
  return `${name.padEnd(30)}${cells.map((cell) => cell.padStart(12)).join('')}`.trimEnd()
}
