/** The tables of deploy/SIZING.md from the results: for several runs of a size the median. */
import type { Point, Results } from './results.ts'

const begin = '<!-- measured: npm run sizing -->'
const end = '<!-- measured: end -->'

/** The page with the tables between its marks. Throws when it has no marks. */
export function withTables(page: string, tables: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page has no lines ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${tables}\n${page.slice(to)}`
}

export function tablesOf({ machine, stored, fsps, replicas }: Results): string {
  const parts: readonly string[] = [
    machine === undefined
      ? ''
      : `Machine: ${machine.cores} cores, ${machine.cpu}, Node.js ${machine.node}; ${machine.node_http_us_per_post} µs of CPU per POST of a bare \`node:http\` server at its quietest.\n`,
    tableOf('Stored transfers', stored),
    tableOf('FSPs', fsps),
    tableOf('Processes of each service', replicas),
    servicesOf(replicas),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** A column, for points that have its value. */
type Column = readonly [title: string, cell: (own: readonly Point[]) => string | undefined]

function tableOf(title: string, points: readonly Point[]): string {
  if (points.length === 0) return ''
  const all = bySize(points)
  const base = middle(all[0] ?? [], totalOf)
  const columns: readonly Column[] = [
    [title, ([first]) => (first?.size ?? 0).toLocaleString('en-US')],
    ['CPU ms per payment', (own) => `**${hundredths(middle(own, totalOf))}**${spread(own)}`],
    ['services', (own) => hundredths(middle(own, (each) => costOf(each).hub))],
    ['PostgreSQL', (own) => hundredths(middle(own, (each) => costOf(each).postgres))],
    ['Kafka', kafkaOf],
    ['against the first', (own) => percent(middle(own, totalOf) / base)],
    ['p50 / p95 / p99 ms', latencies],
    [
      'SQL',
      (own) => hundredths(middle(own, ({ report }) => report.per_transaction.sql_statements)),
    ],
    [
      'WAL KB',
      (own) => hundredths(middle(own, ({ report }) => report.per_transaction.wal_bytes / 1_000)),
    ],
    ['MB on disk', (own) => String(Math.round(middle(own, megabytes)))],
    ['runs', ({ length }) => String(length)],
    ['cores of others', (own) => hundredths(middle(own, ({ report }) => report.cores_used.others))],
    [
      'µs per bare POST',
      (own) => hundredths(middle(own, ({ report }) => report.machine.node_http_us_per_post)),
    ],
  ]
  const there = columns.filter(([, cell]) => all.some((own) => cell(own) !== undefined))
  return [
    line(there.map(([name]) => name)),
    line(there.map(() => '---')),
    ...all.map((own) => line(there.map(([, cell]) => cell(own) ?? ''))),
    '',
    about(points),
    '',
  ].join('\n')
}

function about(points: readonly Point[]): string {
  const [first] = points
  const verdicts = [...new Set(points.map(verdictOf))].join(', ')
  const wrong = points.flatMap(({ size, report }) =>
    report.faults.map((fault) => `${size}: ${fault}`),
  )
  const made = wrong.length === 0 ? 'every payment was made' : `wrong: ${wrong.join('; ')}`
  return `${first?.report.rate ?? 0} payments begun per second, ${first?.report.transactions ?? 0} measured in each run, ${made}; \`verify\`: ${verdicts}.`
}

function verdictOf({ report, wasVerified }: Point): string {
  if (!wasVerified) return 'not asked'
  return report.verify === 'clean' ? 'clean' : 'NOT CLEAN'
}

/** Where services run apart, each service by itself. */
function servicesOf(points: readonly Point[]): string {
  const names = Object.keys(points[0]?.report.cpu_ms_by_service ?? {})
  if (names.length === 0) return ''
  const all = bySize(points)
  const serviceCost = (name: string) => (own: readonly Point[]) =>
    hundredths(middle(own, ({ report }) => report.cpu_ms_by_service?.[name] ?? 0))
  return [
    line(['CPU ms per payment', ...all.map((own) => `${own[0]?.size} of each`)]),
    line(['---', ...all.map(() => '---')]),
    ...names.map((name) => line([name, ...all.map(serviceCost(name))])),
    '',
  ].join('\n')
}

/** The points of each size, the smallest first. */
function bySize(points: readonly Point[]): readonly (readonly Point[])[] {
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b)
  return sizes.map((size) => points.filter((point) => point.size === size))
}

function costOf({ report }: Point) {
  return report.cpu_ms_per_transaction
}

function totalOf(point: Point): number {
  return costOf(point).total
}

function middle(points: readonly Point[], of: (point: Point) => number): number {
  return median(points.map(of))
}

function kafkaOf(own: readonly Point[]): string | undefined {
  const isApart = own.some(({ report }) => report.apart !== undefined)
  return isApart ? hundredths(middle(own, (each) => costOf(each).kafka)) : undefined
}

function latencies(own: readonly Point[]): string {
  return (['p50', 'p95', 'p99'] as const)
    .map((of) => Math.round(middle(own, ({ report }) => report.latency_ms[of])))
    .join(' / ')
}

/** The minimum and the maximum, where there are several runs. */
function spread(points: readonly Point[]): string {
  if (points.length < 2) return ''
  const all = points.map(totalOf)
  return ` (${hundredths(Math.min(...all))}–${hundredths(Math.max(...all))})`
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? 0
  return Number.isInteger(half) ? (upper + (sorted[half - 1] ?? 0)) / 2 : upper
}

function percent(times: number): string {
  const change = Math.round((times - 1) * 1_000) / 10
  return change === 0 ? '–' : `${change > 0 ? '+' : '−'}${Math.abs(change)} %`
}

function hundredths(n: number): string {
  return String(Math.round(n * 100) / 100)
}

function megabytes({ report }: Point): number {
  return report.bytes_stored_at_start / 1e6
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
