/** Two hubs side by side: the mean of each figure, and the ratio with the interval it lies in. */
import { windows_min } from './options.ts'
import { linesOf } from '../report.ts'
import type { Window } from './window.ts'

export interface Side {
  /** As the table calls it. */
  readonly name: string
  readonly windows: readonly Window[]
}

interface Figure {
  readonly name: string
  readonly of: (window: Window) => number
}

const perPayment = (name: string, of: (window: Window) => number): Figure => ({
  name,
  of: (window) => of(window) / window.made,
})

export const figures: readonly Figure[] = [
  { name: 'made per second', of: ({ made, load_s }) => made / load_s },
  { name: 'refused per second', of: ({ refused, load_s }) => refused / load_s },
  perPayment(
    'CPU ms a payment',
    ({ cpu: { hub_ms, postgres_ms, kafka_ms } }) => hub_ms + postgres_ms + kafka_ms,
  ),
  perPayment('  hub', ({ cpu }) => cpu.hub_ms),
  perPayment('    main threads', ({ cpu }) => cpu.hub_main_thread_ms),
  perPayment('  PostgreSQL', ({ cpu }) => cpu.postgres_ms),
  perPayment('  Kafka', ({ cpu }) => cpu.kafka_ms),
  { name: 'p50 ms in the hub', of: ({ latencies }) => latencies.hub_latency_ms.p50 },
  { name: 'p99 ms in the hub', of: ({ latencies }) => latencies.hub_latency_ms.p99 },
  perPayment('transactions', ({ database }) => database.commits),
  perPayment('SQL statements', ({ database }) => database.sql_statements),
  perPayment('round trips', ({ counts }) => counts.round_trips),
  perPayment('rows without events', ({ database }) => database.rows_written),
  perPayment('events in the log', ({ database }) => database.events),
  perPayment('records', ({ records }) => records),
  perPayment('broker requests', ({ counts }) => counts.broker_requests),
  perPayment('KB of WAL', ({ database }) => database.wal_bytes / 1_000),
  perPayment('KB stored', ({ database }) => database.bytes_stored / 1_000),
  perPayment('fsyncs', ({ database }) => database.wal_fsyncs),
  perPayment('KB allocated', ({ counts }) => counts.allocated_bytes / 1_000),
]

/** More cores for other programs than this give none. */
const others_cores_max = 0.2
/** Of Student's distribution for twelve windows; a little wide for more. */
const errors = 2.2

export interface Ratio {
  readonly mean: number
  /** The true ratio lies between these in 95 of 100 comparisons. */
  readonly from: number
  readonly to: number
}

/** Of windows that followed each other: what slowed the machine slowed both. */
export function ratioOf(
  of: (window: Window) => number,
  one: readonly Window[],
  other: readonly Window[],
): Ratio | undefined {
  const logs = one.map((window, n) => {
    const next = other[n]
    return next === undefined ? NaN : Math.log(of(next) / of(window))
  })
  if (logs.length < 2 || !logs.every(Number.isFinite)) return undefined
  const mean = meanOf(logs)
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  const error = errors * Math.sqrt(variance / logs.length)
  return { mean: Math.exp(mean), from: Math.exp(mean - error), to: Math.exp(mean + error) }
}

/** Why the ratios are no verdict; none: they are. */
export function doubtsOf(sides: readonly Side[]): readonly string[] {
  const windows = sides.flatMap((side) => side.windows)
  const others = meanOf(windows.map(({ others_cores }) => others_cores))
  const fewest = Math.min(...sides.map((side) => side.windows.length))
  return [
    ...(fewest < windows_min ? [`${fewest} windows of each are fewer than ${windows_min}`] : []),
    ...(others > others_cores_max
      ? [`other programs took ${others.toFixed(2)} cores: the machine was busy`]
      : []),
  ]
}

export function againstTable(rate: number, one: Side, other: Side): string {
  const doubts = doubtsOf([one, other])
  return linesOf([
    ['', `${rate} begun per second, ${one.windows.length} windows of each`],
    ['', row([one.name, other.name, 'ratio', '95 % of it'])],
    ...figures.flatMap(({ name, of }) => {
      const [first, second] = [one, other].map(({ windows }) => meanOf(windows.map(of)))
      if (!isCounted(first) && !isCounted(second)) return []
      const ratio = ratioOf(of, one.windows, other.windows)
      return [[name, row([numberText(first), numberText(second), ...ratioTexts(ratio)])] as const]
    }),
    ...doubts.map((doubt) => ['no verdict', doubt] as const),
  ])
}

function isCounted(figure: number | undefined): figure is number {
  return figure !== undefined && Number.isFinite(figure) && figure !== 0
}

function numberText(figure: number | undefined): string {
  if (figure === undefined || !Number.isFinite(figure)) return '–'
  return figure.toFixed(figure < 10 ? 2 : figure < 100 ? 1 : 0)
}

function ratioTexts(ratio: Ratio | undefined): readonly string[] {
  if (ratio === undefined) return ['', '']
  return [ratio.mean.toFixed(2), `${ratio.from.toFixed(2)} to ${ratio.to.toFixed(2)}`]
}

function row(cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(16)).join('')
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0) / numbers.length
}
