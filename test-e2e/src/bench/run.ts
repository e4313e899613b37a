/** One run of the bench: makes the payments, reads their cost, and reports faults. */
import { readMemory } from './cpu.ts'
import type { Holdings } from './database.ts'
import type { PaymentBenchReport, Probed, RunPayments, RunResult, Totals } from './fsps/messages.ts'
import { faultsOf, notDurable, verdictOf, type RunEvidence } from './gate.ts'
import type { Machine } from './machine.ts'
import type { BenchOptions } from './options.ts'
import { planOf } from './plan.ts'
import { reportOf, type Findings, type CounterReading, type BenchReport } from './report.ts'
import { openSetup, type HubData, type Setup } from './setup.ts'

const hour_ms = 3_600_000
/** How long the hub may take after the last payment until no message is in flight. */
const calm_ms_max = 15_000

/** @param hubData the data that the hub starts on; undefined: none, removed at the end */
export async function runOnce(
  options: BenchOptions,
  machine: Machine,
  hubData?: HubData,
): Promise<BenchReport> {
  const opening = openSetup(options, hubData)
  const close = () =>
    opening.then(
      (setup) => setup.close(),
      () => undefined,
    )
  // An interrupted bench leaves no process and no folder.
  const interrupt = () => void close().finally(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const found = await measure(options, await opening, hubData?.isNew ?? true)
    return reportOf(options, { ...found, machine })
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await close()
  }
}

async function measure(
  options: BenchOptions,
  setup: Setup,
  verifies: boolean,
): Promise<Omit<Findings, 'machine'>> {
  const { fsps, hub } = setup
  const { database, operator } = hub
  const plan = planOf(options)
  await prepare(options, setup)
  const { found: probed } = await fsps.ask({ type: 'PROBE' }, 'PROBED')
  const { run: range, measured } = plan
  const run = await payThrough(setup, { type: 'RUN', range, rate: options.rate, measured })
  const hub_memory_mb = readMemory(hub.pids.values())
  const settings = await database.guarantees()
  const holdings = await calmHoldings(setup, { totals: run.result.totals, probed, options })
  const verify = verifies ? await verdictOf(operator) : notVerified
  const faults = [
    ...faultsOf({ totals: run.result.totals, holdings, probed, options, verify }),
    ...notDurable(settings),
  ]
  return { ...run, hub_memory_mb, probed, settings, verify, faults }
}

/** Replaces /verify for a hub full of seeded payments: comparing all of them would take hours. */
const notVerified = { clean: true, compared: {}, differences: [], skipped: true }

/** Makes and signs the messages, and warms up; resolves with what the warm-up made. */
export async function prepare(options: BenchOptions, { hub, fsps }: Setup): Promise<Totals> {
  const { load, legs } = options
  const { total, warmup, warmupRate: rate, run } = planOf(options)
  const length_s = (warmup.to - warmup.from) / rate + (run.to - run.from) / options.rate
  const valid_ms = 2 * length_s * 1_000 + hour_ms
  await fsps.ask({ type: 'PREPARE', hubUrl: hub.url, total, load, legs, valid_ms }, 'PREPARED')
  const warmingUp = { type: 'RUN', range: warmup, rate, measured: undefined } as const
  return (await fsps.ask(warmingUp, 'DONE')).result.totals
}

/**
 * The whole load; the counters are read when the first measured payment begins and when the last
 * one ends.
 */
export async function payThrough(
  setup: Setup,
  command: RunPayments,
): Promise<{
  readonly result: RunResult
  readonly opened: CounterReading
  readonly closed: CounterReading
}> {
  const edges = new Map<string, Promise<CounterReading>>()
  const { result } = await setup.fsps.ask(command, 'DONE', (report) => {
    if (report.type !== 'WINDOW') return
    const reading = read(setup, report)
    // Awaited at the end of the run; until then a rejection must not count as unhandled.
    reading.catch(() => undefined)
    edges.set(report.edge, reading)
  })
  const [opened, closed] = await Promise.all([edges.get('OPENED'), edges.get('CLOSED')])
  if (opened === undefined || closed === undefined) throw new Error('nothing was measured')
  return { result, opened, closed }
}

async function read(
  setup: Setup,
  { at_ms, committed }: Extract<PaymentBenchReport, { type: 'WINDOW' }>,
): Promise<CounterReading> {
  const cpu = setup.cpu()
  return { at_ms, committed, cpu, database: await setup.hub.database.use() }
}

/** The content of the tables once it matches the payments, or at the end of the time. */
async function calmHoldings(
  { hub: { database }, before }: Setup,
  evidence: Omit<RunEvidence, 'holdings' | 'verify'> & { readonly probed: Probed },
) {
  const until_ms = performance.now() + calm_ms_max
  for (;;) {
    const holdings = since(before, await database.holdings())
    const faults = faultsOf({ ...evidence, holdings, verify: { clean: true } })
    if (faults.length === 0 || performance.now() > until_ms) return holdings
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

function since(before: Holdings | undefined, now: Holdings): Holdings {
  if (before === undefined) return now
  const left = Object.entries(now).map(([name, n]) => [name, n - before[name as keyof Holdings]])
  return Object.fromEntries(left) as Holdings
}
