/**
 * Two hubs on one machine, which are paid through in turns: what slows the machine slows both, and what
 * differs is the hubs. Each has databases, FSPs and payments of its own, and waits while the other is
 * measured.
 */
import type { Totals } from '../fsps/messages.ts'
import { faultsOfHub, unmade, unguarded } from '../gate.ts'
import type { Machine } from '../machine.ts'
import { layoutName, type BenchOptions } from '../options.ts'
import { prepare } from '../run.ts'
import { openSetup, type Setup } from '../setup.ts'
import type { Against } from './options.ts'
import { againstTable, doubtsOf, figures, ratioOf, type Side } from './table.ts'
import { measureWindow, type Window } from './window.ts'

export type AgainstReport = Awaited<ReturnType<typeof runAgainst>>

interface Hub {
  readonly name: string
  readonly setup: Setup
  readonly windows: Window[]
  totals: Totals
}

export async function runAgainst(
  options: BenchOptions,
  { other, windows, window_s }: Against,
  machine: Machine,
) {
  const { rate } = options
  const payments = windows * window_s * rate
  const both = [options, { ...options, ...other }].map((each) => ({ ...each, payments }))
  const open: Setup[] = []
  const close = () => Promise.all(open.splice(0).map((setup) => setup.close()))
  // An interrupted bench leaves no process and no folder.
  const interrupt = () => void close().finally(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const hubs: Hub[] = []
    for (const each of both) {
      const setup = await openSetup(each)
      open.push(setup)
      hubs.push({ name: layoutName(each), setup, windows: [], totals: await prepare(each, setup) })
    }
    for (let n = 0; n < windows; n += 1) {
      // The first of a pair is each of them as often as the other.
      const order = n % 2 === 0 ? hubs : hubs.toReversed()
      for (const hub of order) await payThroughWindow(hub, hubs, { n, rate, window_s, options })
    }
    const [one, two] = hubs as [Hub, Hub]
    const faults = (await Promise.all(hubs.map(faultsOf))).flat()
    return {
      rate,
      sides: hubs.map(({ name, windows: measured }): Side => ({ name, windows: measured })),
      ratios: Object.fromEntries(
        figures.map(({ name, of }) => [name.trim(), ratioOf(of, one.windows, two.windows)]),
      ),
      doubts: doubtsOf(hubs),
      faults,
      machine,
      table: againstTable(rate, one, two),
    }
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await close()
  }
}

interface Pass {
  /** Of the window. */
  readonly n: number
  readonly rate: number
  readonly window_s: number
  readonly options: BenchOptions
}

async function payThroughWindow(
  hub: Hub,
  hubs: readonly Hub[],
  { n, rate, window_s, options }: Pass,
): Promise<void> {
  const idle = hubs.find((other) => other !== hub)
  if (idle === undefined) throw new Error('there is no other hub')
  const from = options.warmup + n * window_s * rate
  const range = { from, to: from + window_s * rate }
  const load = { range, rate, before: hub.totals }
  const { window, totals } = await measureWindow(hub.setup, idle.setup, load)
  hub.windows.push(window)
  hub.totals = totals
}

/** The tables of another version may have other names: POST /verify of each compares its own. */
async function faultsOf({ name, setup, totals }: Hub): Promise<readonly string[]> {
  const { found } = await setup.fsps.ask({ type: 'PROBE' }, 'PROBED')
  const faults = [...unmade(totals), ...unguarded(found), ...(await faultsOfHub(setup.hub))]
  return faults.map((fault) => `${name}: ${fault}`)
}
