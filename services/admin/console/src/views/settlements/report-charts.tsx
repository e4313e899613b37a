/** Charts of reported days: number and value of transfers, failures, latency. */
import { barsOf, linesOf } from '../../domain/charts.ts'
import { shownAmount } from '../../domain/amounts.ts'
import type { DayReportSummary } from '../../generated/operator-api.ts'
import { Card } from '../../ui.tsx'

/** The figures of one currency on one day. */
export interface DayFigures {
  readonly day: string
  readonly figures: DayReportSummary['currencies'][number]
}

/** @param days the oldest first */
export function ReportCharts({
  currency,
  days,
}: {
  currency: string
  days: readonly DayFigures[]
}) {
  const labels = days.map(({ day }) => day)
  const values = days.map(({ figures }) => figures.sent.value)
  return (
    <Card title={`${currency} by day`}>
      <div className="charts">
        <Bars
          title="Transfers"
          labels={labels}
          values={days.map(({ figures }) => figures.sent.count)}
          shown={days.map(({ figures }) => String(figures.sent.count))}
        />
        <Bars
          title={`Value, ${currency}`}
          labels={labels}
          values={values.map(Number)}
          shown={values.map((value) => shownAmount(value, currency))}
        />
        <Bars
          title="Failures"
          labels={labels}
          values={days.map(({ figures }) => figures.failures)}
          shown={days.map(({ figures }) => String(figures.failures))}
        />
        <Latencies days={days} />
      </div>
    </Card>
  )
}

function Bars({
  title,
  labels,
  values,
  shown,
}: {
  title: string
  labels: readonly string[]
  values: readonly number[]
  shown: readonly string[]
}) {
  const last = shown.at(-1) ?? '–'
  return (
    <figure>
      <figcaption>
        {title}: {last} on the last day
      </figcaption>
      <svg className="chart" viewBox="0 0 100 100" preserveAspectRatio="none" role="img">
        <title>{`${title}: ${pairs(labels, shown)}`}</title>
        {barsOf(values).map(({ x, width, height }, at) => (
          <rect key={labels[at]} x={x} y={100 - height} width={width} height={height}>
            <title>{`${labels[at]}: ${shown[at]}`}</title>
          </rect>
        ))}
      </svg>
    </figure>
  )
}

const percentiles = ['p50_ms', 'p95_ms', 'p99_ms'] as const

function Latencies({ days }: { days: readonly DayFigures[] }) {
  const series = percentiles.map((name) => days.map(({ figures }) => figures[name]))
  const highest = Math.max(...series.flat().map((value) => value ?? 0), 1)
  const last = days.at(-1)?.figures
  const text = percentiles.map((name) => `${name.slice(0, 3)} ${last?.[name] ?? '–'} ms`)
  return (
    <figure>
      <figcaption>
        Latency: {text.join(', ')} on the last day (p50 solid, p95 dashed, p99 dotted)
      </figcaption>
      <svg className="chart" viewBox="0 0 100 100" preserveAspectRatio="none" role="img">
        <title>{`Latency: ${days.map(latencyOf).join('; ')}`}</title>
        {series.flatMap((values, at) =>
          linesOf(values, highest).map((points) => (
            <polyline
              key={`${percentiles[at]} ${points}`}
              className={percentiles[at]}
              points={points}
            />
          )),
        )}
      </svg>
    </figure>
  )
}

function latencyOf({ day, figures }: DayFigures): string {
  const values = percentiles.map((name) => `${name.slice(0, 3)} ${figures[name] ?? '–'} ms`)
  return `${day}: ${values.join(', ')}`
}

function pairs(labels: readonly string[], shown: readonly string[]): string {
  return labels.map((label, at) => `${label} ${shown[at]}`).join('; ')
}
