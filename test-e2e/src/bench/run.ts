/** One run of the bench: makes the payments, reads their cost, and reports faults. */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCpu, readMemory } from './cpu.ts'
import type { Holdings } from './database.ts'
import { faultsOf, type Evidence } from './gate.ts'
import type { Machine } from './machine.ts'
import type { Report as FspReport, Probed, RunResult } from './messages.ts'
import type { BenchOptions } from './options.ts'
import { planOf, type Plan } from './plan.ts'
import { readProfile, type CpuProfile, type Profile, type Span } from './profile.ts'
import { reportOf, type Findings, type Reading, type Report } from './report.ts'
import { closeWindows, type WindowsClosed } from './windows.ts'
import { openSetup, type HubData, type Hub, type Setup } from './setup.ts'

const hour_ms = 3_600_000
/** How long the hub may take after the last payment until no message is in flight. */
const settled_ms_max = 15_000

/**
 * @param profilesFolder a folder for the CPU profiles
 * @param hubData the data that the hub starts on; undefined: none, and its data is removed at the
 * end
 */
export async function runOnce(
  options: BenchOptions,
  machine: Machine,
  profilesFolder?: string,
  hubData?: HubData,
): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
  const profiles = options.profile ? join(folder, 'profiles') : undefined
  const opening = openSetup(options, { profiles, heaps: folder }, hubData)
  const heed = leaveNothing(opening, folder)
  try {
    const setup = await opening
    const { span, ...found } = await measure(options, setup)
    await setup.hub.stop()
    await setup.fsps.end()
    const profile = profiles === undefined ? undefined : await profilesIn(profiles, span)
    if (profiles !== undefined && profilesFolder !== undefined) {
      await cp(profiles, join(profilesFolder, `${options.load}-${options.rate}`), {
        recursive: true,
      })
    }
    return reportOf(options, { ...found, machine, profile })
  } finally {
    heed.abort()
    await clear(opening, folder)
  }
}

async function clear(opening: Promise<Setup>, folder: string): Promise<void> {
  await opening.then(
    (setup) => setup.close(),
    () => undefined,
  )
  await rm(folder, { recursive: true, force: true })
}

/** An interrupted bench leaves no process and no folder. */
function leaveNothing(opening: Promise<Setup>, folder: string): AbortController {
  const heed = new AbortController()
  const end = () => void clear(opening, folder).finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, end)
    heed.signal.addEventListener('abort', () => process.removeListener(signal, end))
  }
  return heed
}

type Measured = Omit<Findings, 'machine' | 'profile'> & { readonly span: Span }

async function measure(options: BenchOptions, setup: Setup): Promise<Measured> {
  const { fsps, hub } = setup
  const { database, operator } = hub
  const plan = planOf(options)
  await prepare(options, setup, plan)
  const { found: probed } = await fsps.ask({ type: 'PROBE' }, 'PROBED')
  const held_bytes = await setup.liveHeap()
  const run = await runThrough(setup, plan, options)
  const events = await database.events(run.opened.database.events, run.closed.database.events)
  const hub_memory_mb = readMemory(hub.pids.values())
  const settings = await database.guarantees()
  const holdings = await settledHoldings(setup, { totals: run.result.totals, probed, options })
  const begun = plan.run.to - plan.run.from
  const kept_bytes_per_transaction = Math.round(((await setup.liveHeap()) - held_bytes) / begun)
  const verify = setup.verifies ? await verdictOf(operator) : notVerified
  const faults = [
    ...faultsOf({ totals: run.result.totals, holdings, probed, options, verify }),
    ...(settings.fsync && settings.synchronous_commit ? [] : ['what is committed is not durable']),
  ]
  const memory = { hub_memory_mb, kept_bytes_per_transaction }
  return { ...run, ...memory, events, probed, settings, verify, faults }
}

/** Replaces /verify for a hub full of seeded payments: comparing all of them would take hours. */
const notVerified = { clean: true, compared: {}, differences: [], skipped: true }

async function verdictOf(operator: Hub['operator']): Promise<unknown> {
  const answer = await operator.call('POST', '/verify')
  return answer.status === 200 ? answer.json : `answered ${answer.status}`
}

/** Makes and signs the messages, and warms up. */
async function prepare(options: BenchOptions, { hub, fsps }: Setup, plan: Plan): Promise<void> {
  const { load, legs, disturb } = options
  const { warmup, warmupRate: rate, run } = plan
  const length_s = (warmup.to - warmup.from) / rate + (run.to - run.from) / options.rate
  const valid_ms = 2 * length_s * 1_000 + hour_ms
  const command = { type: 'PREPARE', hubUrl: hub.url, plan, load, legs, disturb, valid_ms } as const
  await fsps.ask(command, 'PREPARED', progress(plan.total))
  const warmingUp = { type: 'RUN', range: warmup, rate, measured: undefined } as const
  await fsps.ask(warmingUp, 'DONE', progress(warmup.to - warmup.from))
}

interface Ran {
  readonly result: RunResult
  readonly opened: Reading
  readonly closed: Reading
  readonly windows_closed: WindowsClosed | undefined
  readonly span: Span
}

/**
 * The whole load; the counters are read when the first measured payment begins and when the last
 * one ends.
 */
async function runThrough(
  setup: Setup,
  plan: Plan,
  { rate, profile, closeWindows_s, disturb }: BenchOptions,
): Promise<Ran> {
  const { run: range, measured } = plan
  const edges = new Map<string, Promise<Reading & { readonly now_us: number }>>()
  const show = progress(range.to - range.from)
  const command = { type: 'RUN', range, rate, measured } as const
  let closing =
    closeWindows_s === undefined ? undefined : closeWindows(setup.hub.operator, closeWindows_s)
  const { result } = await setup.fsps.ask(command, 'DONE', (report) => {
    if (report.type === 'MIDDLE' && disturb === 'windows') {
      closing ??= closeWindows(setup.hub.operator, 1)
    }
    if (report.type !== 'WINDOW') return show(report)
    const reading = read(setup, report, profile)
    // Awaited at the end of the run; until then a rejection must not count as unhandled.
    reading.catch(() => undefined)
    edges.set(report.edge, reading)
  })
  const windows_closed = await closing?.stop()
  const [opened, closed] = await Promise.all([edges.get('OPENED'), edges.get('CLOSED')])
  if (opened === undefined || closed === undefined) throw new Error('nothing was measured')
  return {
    result,
    opened,
    closed,
    windows_closed,
    span: { from_us: opened.now_us, to_us: closed.now_us },
  }
}

async function read(
  { hub, fsps }: Setup,
  { at_ms, committed }: Extract<FspReport, { type: 'WINDOW' }>,
  withStatements: boolean,
): Promise<Reading & { readonly now_us: number }> {
  const now_us = Number(process.hrtime.bigint() / 1_000n)
  const { pids, postmaster, broker, database } = hub
  const cpu = readCpu({ hub: pids, postmaster, broker, fsps: fsps.pid })
  const use = await database.use()
  const statements = withStatements ? await database.statements() : []
  return { at_ms, committed, cpu, now_us, database: use, statements }
}

/** The content of the tables once it matches the payments, or at the end of the time. */
async function settledHoldings(
  { hub: { database }, before }: Setup,
  evidence: Omit<Evidence, 'holdings' | 'verify'> & { readonly probed: Probed },
) {
  const until_ms = performance.now() + settled_ms_max
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

/** A folder of its own for each process, by its name. */
async function profilesIn(folder: string, span: Span): Promise<ReadonlyMap<string, Profile>> {
  const profiles = new Map<string, Profile>()
  for (const name of await readdir(folder)) {
    const profile = await profileIn(join(folder, name), span)
    if (profile !== undefined) profiles.set(name, profile)
  }
  return profiles
}

/** The main thread's profile is the largest one. */
async function profileIn(folder: string, span: Span): Promise<Profile | undefined> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const [text] = texts.sort((a, b) => b.length - a.length)
  return text === undefined ? undefined : readProfile(JSON.parse(text) as CpuProfile, span)
}

/** A progress bar on a terminal, nothing elsewhere. */
function progress(total: number): (report: FspReport) => void {
  return (report) => {
    if (report.type !== 'PROGRESS' || !process.stderr.isTTY) return
    const { what, done } = report
    const bar = '#'.repeat(Math.min(40, Math.round((done / total) * 40))).padEnd(40, '.')
    process.stderr.write(`\r${bar} ${done}/${total} ${what} `)
  }
}
