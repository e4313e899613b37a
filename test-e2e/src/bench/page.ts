/**
 * The report as one self-contained page: throughput, latency and CPU time against the rate at which
 * payments were begun, then every figure. Drawn as SVG, readable in light and dark.
 */
import { tableOf, type Report } from './report.ts'

interface Line {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

interface Plot {
  readonly title: string
  readonly unit: string
  readonly lines: readonly Line[]
}

const width = 640
const height = 300
const left = 60
const bottom = 40
const top = 16
const right = 150
const colours = ['#2563eb', '#dc2626', '#059669', '#d97706', '#7c3aed', '#0891b2']
const ticks_max = 5

const style = `
  :root { color-scheme: light dark }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  figure { margin: 2rem 0 } figcaption { font-weight: 600 }
  svg { width: 100%; height: auto } svg text { fill: currentColor; font-size: 12px }
  pre { overflow-x: auto; font-size: 13px }`

/** HTML; the runs are of one load at several rates, or of several loads. */
export function pageOf(runs: readonly Report[]): string {
  const plots = [...new Set(runs.map(({ load }) => load))].flatMap((load) =>
    plotsOf(
      load,
      runs.filter((run) => run.load === load).toSorted((a, b) => a.rate - b.rate),
    ),
  )
  const tables = runs.map((run) => `<pre>${escaped(tableOf(run))}</pre>`)
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>Bench</title><style>${style}</style><h1>Bench</h1>`,
    ...plots.map(figureOf),
    ...tables,
    '</html>\n',
  ].join('\n')
}

function plotsOf(load: string, runs: readonly Report[]): readonly Plot[] {
  const line = (name: string, of: (run: Report) => number | undefined): Line => ({
    name,
    points: runs.flatMap((run) => {
      const y = of(run)
      return y === undefined ? [] : [[run.rate, y] as const]
    }),
  })
  const legs = ['lookup', 'quote', 'transfer'] as const
  return [
    {
      title: `${load}: payments made per second`,
      unit: 'per second',
      lines: [line('made', ({ tps }) => tps), line('begun', ({ rate }) => rate)],
    },
    {
      title: `${load}: time in the hub`,
      unit: 'ms',
      lines: [
        line('p50', (run) => run.hub_latency_ms.p50),
        line('p99', (run) => run.hub_latency_ms.p99),
        ...legs.map((leg) => line(`p99 ${leg}`, (run) => run.legs[leg]?.hub_latency_ms.p99)),
      ],
    },
    {
      title: `${load}: CPU time per payment, by process`,
      unit: 'ms',
      lines: [
        line('together', (run) => run.cpu_ms_per_transaction.total),
        line('hub', (run) => run.cpu_ms_per_transaction.hub),
        line('its main thread', (run) => run.cpu_ms_per_transaction.hub_main_thread),
        line('PostgreSQL', (run) => run.cpu_ms_per_transaction.postgres),
        line('Kafka', ({ apart, cpu_ms_per_transaction: { kafka } }) => apart && kafka),
        line('FSPs, not counted', (run) => run.cpu_ms_per_transaction.fsps_not_counted),
      ],
    },
    {
      title: `${load}: done in the database per payment`,
      unit: '',
      lines: [
        line('SQL statements', (run) => run.per_transaction.sql_statements),
        line('commits', (run) => run.per_transaction.commits),
        line('events', ({ apart, per_transaction: { events } }) => (apart ? undefined : events)),
      ],
    },
  ]
}

function figureOf({ title, unit, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points)
  const x_max = Math.max(1, ...points.map(([x]) => x))
  const y_max = niceAbove(Math.max(0, ...points.map(([, y]) => y)))
  const x = (value: number) => (left + (value / x_max) * (width - left - right)).toFixed(1)
  const y = (value: number) =>
    (height - bottom - (value / y_max) * (height - bottom - top)).toFixed(1)
  const steps = Array.from({ length: ticks_max + 1 }, (_, at) => at / ticks_max)
  const grid = steps.flatMap((step) => [
    `<path d="M${left} ${y(step * y_max)}H${width - right}" stroke="currentColor" opacity=".15"/>`,
    `<text x="${left - 8}" y="${y(step * y_max)}" text-anchor="end">${short(step * y_max)}</text>`,
  ])
  const rates = [...new Set(points.map(([value]) => value))].map(
    (rate) =>
      `<text x="${x(rate)}" y="${height - bottom + 18}" text-anchor="middle">${rate}</text>`,
  )
  const drawn = lines.map(({ name, points: own }, at) => {
    const colour = colours[at % colours.length] ?? 'currentColor'
    const path = own.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')
    const dots = own.map(
      ([px, py]) => `<circle cx="${x(px)}" cy="${y(py)}" r="3" fill="${colour}"/>`,
    )
    const key = `<text x="${width - right + 12}" y="${top + 12 + at * 18}" style="fill:${colour}">${escaped(name)}</text>`
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${key}`
  })
  return [
    `<figure><figcaption>${escaped(title)}${unit === '' ? '' : ` (${unit})`}</figcaption>`,
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    ...grid,
    ...rates,
    `<text x="${(left + width - right) / 2}" y="${height - 4}" text-anchor="middle">payments begun per second</text>`,
    ...drawn,
    '</svg></figure>',
  ].join('\n')
}

/** 1, 2 or 5 times a power of ten. */
function niceAbove(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
