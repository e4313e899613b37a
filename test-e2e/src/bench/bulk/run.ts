/**
 * One run of bulks: the cost of an item when bulks come one after the other, and the effect of
 * bulks on single payments, compared with the same payments alone in the same run.
 */
import { position } from '../../operator/operator.ts'
import { forkChild, type Child } from '../child.ts'
import { readMemory } from '../cpu.ts'
import { faultsOfHub } from '../gate.ts'
import type { Machine } from '../machine.ts'
import type { BenchOptions } from '../options.ts'
import { cpuBetween } from '../report.ts'
import { payThrough } from '../run.ts'
import { onboardAll, openSetup, type Setup } from '../setup.ts'
import {
  bulkLegs,
  names,
  type BulkBenchReport,
  type BulkLeg,
  type BulkBenchCommand,
  type BulkResult,
} from './messages.ts'
import {
  bulkReportOf,
  type BulkFindings,
  type BulkLegFindings,
  type BulkReport,
  type Singles,
} from './report.ts'

const hour_ms = 3_600_000
const warmupRate = 100
const warmupBulks = 5
/** How long the load lasts before and after the measured payments. */
const margin_s = 2
const memory_ms = 100

type Fsps = Child<BulkBenchCommand, BulkBenchReport>

export async function runBulk(options: BenchOptions, machine: Machine): Promise<BulkReport> {
  const setup = await openSetup(options)
  const fsps: Fsps = forkChild(new URL('./main.js', import.meta.url))
  try {
    await onboardAll(names, setup.hub.operator, (command) => fsps.ask(command, 'OPENED'))
    return bulkReportOf(options, machine, await measure(options, setup, fsps))
  } finally {
    await fsps.end()
    await setup.close()
  }
}

async function measure(options: BenchOptions, setup: Setup, fsps: Fsps): Promise<BulkFindings> {
  const { hub } = setup
  const { items, rate } = options.bulk
  const plan = planOf(options)
  await prepare(options, setup, fsps)
  const before = await position(hub.operator, names[0])
  const warm = await passBulks(fsps, bulkLegs, { from: 0, to: warmupBulks })
  const memory = watchMemory(hub.pids)
  const legs: BulkLegFindings[] = []
  for (const leg of bulkLegs) {
    const opened = setup.cpu()
    const result = await passBulks(fsps, [leg], plan.oneByOne)
    legs.push({ leg, result, used: cpuBetween(opened, setup.cpu()) })
  }
  const alone = await paySingles(options, setup, plan.alone)
  const [beside, { result: bulksBeside }] = await Promise.all([
    paySingles(options, setup, plan.besideBulks),
    fsps.ask({ type: 'RUN', legs: bulkLegs, ...plan.beside, rate }, 'DONE'),
  ])
  const memory_mb = memory.stop()
  const moved = (await position(hub.operator, names[0])) - before
  const done = warm.done + (legs.at(-1)?.result.done ?? 0) + bulksBeside.done
  const faults = [
    ...[warm, ...legs.map(({ result }) => result), bulksBeside].flatMap(({ failures }) =>
      Object.entries(failures).map(([why, n]) => `${n} bulks failed: ${why}`),
    ),
    ...Object.entries(beside.result.totals.failures).map(([why, n]) => `${n} payments: ${why}`),
    ...(moved === done * items ? [] : [`${moved} moved in ${done} bulks`]),
    ...(await faultsOfHub(hub)),
  ]
  return { legs, alone, beside, bulksBeside, memory_mb, faults }
}

/** Numbers of payments and of bulks; the measured ones are in the middle. */
function planOf({ payments, rate, warmup, bulk }: BenchOptions) {
  const margin = Math.ceil(rate * margin_s)
  const phase = payments + 2 * margin
  const singles = (from: number) => ({
    range: { from, to: from + phase },
    measured: { from: from + margin, to: from + margin + payments },
  })
  const oneByOne = { from: warmupBulks, to: warmupBulks + bulk.bulks }
  const bulks = oneByOne.to + Math.ceil((phase / rate) * bulk.rate)
  return {
    payments: warmup + 2 * phase,
    alone: singles(warmup),
    besideBulks: singles(warmup + phase),
    oneByOne,
    beside: { from: oneByOne.to, to: bulks },
    bulks,
  }
}

/** Makes and signs the messages of both processes, and warms up with payments. */
async function prepare(options: BenchOptions, { hub, fsps }: Setup, ofBulks: Fsps): Promise<void> {
  const { warmup, load, legs, bulk } = options
  const { payments: total, bulks } = planOf(options)
  const range = { from: 0, to: warmup }
  const valid_ms = hour_ms
  const hubUrl = hub.url
  await fsps.ask({ type: 'PREPARE', hubUrl, total, load, legs, valid_ms }, 'PREPARED')
  const { items } = bulk
  await ofBulks.ask({ type: 'PREPARE', hubUrl, bulks, items, valid_ms }, 'PREPARED')
  await fsps.ask({ type: 'RUN', range, rate: warmupRate, measured: undefined }, 'DONE')
}

async function passBulks(
  fsps: Fsps,
  legs: readonly BulkLeg[],
  range: { readonly from: number; readonly to: number },
): Promise<BulkResult> {
  const { result } = await fsps.ask({ type: 'RUN', legs, ...range, rate: undefined }, 'DONE')
  return result
}

async function paySingles(
  { rate }: BenchOptions,
  setup: Setup,
  ranges: ReturnType<typeof planOf>['alone'],
): Promise<Singles> {
  const { result, opened, closed } = await payThrough(setup, { type: 'RUN', rate, ...ranges })
  const committed = closed.committed - opened.committed
  return { result, used: cpuBetween(opened.cpu, closed.cpu), committed }
}

/** Of the hub alone. */
function watchMemory(pids: ReadonlyMap<string, number>) {
  const before = readMemory(pids.values())
  let most = before
  const watching = setInterval(() => (most = Math.max(most, readMemory(pids.values()))), memory_ms)
  return {
    stop() {
      clearInterval(watching)
      return { before, most }
    },
  }
}
