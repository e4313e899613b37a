/** What a hub did in one window: a load of its own, from the first payment until nothing is left to do. */
import { setTimeout as wait } from 'node:timers/promises'
import type { CpuUse } from '../cpu.ts'
import type { DatabaseUse } from '../database.ts'
import type { Totals } from '../fsps/messages.ts'
import type { Latencies } from '../fsps/timeline.ts'
import type { Range } from '../plan.ts'
import { cpuBetween } from '../report.ts'
import type { Setup } from '../setup.ts'
import type { ProcessCounts } from './counts.ts'

/** Reports, offsets and settlement lines of the last payments are written by then. */
const calm_ms = 1_500

export interface Window {
  readonly load_s: number
  readonly made: number
  readonly refused: number
  readonly cpu: CpuUse
  readonly database: DatabaseUse
  readonly counts: ProcessCounts
  /** Sent to the broker; NaN: there is none. */
  readonly records: number
  readonly latencies: Latencies
  /** Of the machine, in cores, for other programs than the two hubs and their FSPs. */
  readonly others_cores: number
}

/** @param idle the other hub and its FSPs, which wait meanwhile */
export async function measureWindow(
  setup: Setup,
  idle: Setup,
  {
    range,
    rate,
    before,
  }: { readonly range: Range; readonly rate: number; readonly before: Totals },
): Promise<{ readonly window: Window; readonly totals: Totals }> {
  const opened = await readingOf(setup, idle)
  const { result } = await setup.fsps.ask({ type: 'RUN', range, rate, measured: range }, 'DONE')
  await wait(calm_ms)
  const closed = await readingOf(setup, idle)
  const { totals, measured } = result
  const cpu = cpuBetween(opened.cpu, closed.cpu)
  const idle_ms = counted(cpuBetween(opened.idle, closed.idle))
  const window = {
    load_s: (range.to - range.from) / rate,
    made: totals.committed - before.committed,
    refused: totals.refused - before.refused,
    cpu,
    database: difference(opened.database, closed.database),
    counts: difference(opened.counts, closed.counts),
    records: closed.records - opened.records,
    latencies: measured,
    others_cores: (cpu.machine_ms - counted(cpu) - idle_ms) / (closed.at_ms - opened.at_ms),
  }
  return { window, totals }
}

async function readingOf(setup: Setup, idle: Setup) {
  const { hub } = setup
  const [counts, records, database] = await Promise.all([
    hub.counts(),
    hub.records(),
    hub.database.use(),
  ])
  return { at_ms: performance.now(), counts, records, database, cpu: setup.cpu(), idle: idle.cpu() }
}

/** With the FSPs. */
function counted({ hub_ms, postgres_ms, kafka_ms, fsps_ms }: CpuUse): number {
  return hub_ms + postgres_ms + kafka_ms + fsps_ms
}

function difference<Counts extends object>(before: Counts, after: Counts): Counts {
  const names = Object.keys(after) as (keyof Counts)[]
  const between = (name: keyof Counts) => Number(after[name]) - Number(before[name])
  return Object.fromEntries(names.map((name) => [name, between(name)])) as Counts
}
