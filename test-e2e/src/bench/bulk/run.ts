/**
 * One run of bulks: the cost of an item when bulks come one after the other, and the effect of
 * bulks on single payments, compared with the same payments alone in the same run.
 */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answered, position } from '../../hub/operator.ts'
import { readCpu, readMemory, type CpuUse } from '../cpu.ts'
import type { Tally } from '../database.ts'
import { forkChild, type Child } from '../fsp-process.ts'
import type { Machine } from '../machine.ts'
import type { RunResult } from '../messages.ts'
import type { BenchOptions, BulkOptions } from '../options.ts'
import { readProfile, type CpuProfile, type Profile, type Span } from '../profile.ts'
import { onboardAll, openSetup, type Setup } from '../setup.ts'
import { names, type Answer, type BulkLeg, type Command, type Result } from './messages.ts'
import { reportOf, type BulkReport, type Findings, type Leg } from './report.ts'

const hour_ms = 3_600_000
const warmupRate = 100
const warmupBulks = 5
/** How long the load lasts before and after the measured payments. */
const margin_s = 2
const memory_ms = 100

type Bulk = BenchOptions & { readonly bulk: BulkOptions }
type Fsps = Child<Command, Answer>

/** @param profilesFolder a folder for the CPU profile of the hub */
export async function runBulk(
  options: Bulk,
  machine: Machine,
  profilesFolder?: string,
): Promise<BulkReport> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
  const profiles = options.profile ? join(folder, 'profiles') : undefined
  const setup = await openSetup(options, { profiles, heaps: folder })
  const fsps: Fsps = forkChild(new URL('./fsps.js', import.meta.url), [])
  try {
    await onboardAll(options, names, setup.hub.operator, (command) => fsps.ask(command, 'OPENED'))
    const found = await measure(options, setup, fsps)
    await setup.hub.stop()
    const profile = profiles === undefined ? undefined : await readHubProfile(profiles, found.span)
    if (profiles !== undefined && profilesFolder !== undefined) {
      await cp(profiles, join(profilesFolder, 'bulk'), { recursive: true })
    }
    return reportOf(options, machine, found, profile)
  } finally {
    await fsps.end()
    await setup.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  options: Bulk,
  setup: Setup,
  fsps: Fsps,
): Promise<Findings & { readonly span: Span }> {
  const { hub } = setup
  const plan = planOf(options)
  await prepare(options, setup, fsps)
  const before = await position(hub.operator, names[0])
  const warm = await passBulks(fsps, options.bulk.legs, { from: 0, to: warmupBulks })
  const memory = watchMemory(hub.pids)
  const from_us = now_us()
  const before_statements = await statementsOf(options, setup)
  const legs: Leg[] = []
  for (const leg of options.bulk.legs) {
    const opened = readUse(setup)
    const result = await passBulks(fsps, [leg], plan.oneByOne)
    legs.push({ leg, result, used: since(opened, readUse(setup)) })
  }
  const span = { from_us, to_us: now_us() }
  const statements = sinceOf(before_statements, await statementsOf(options, setup))
  const alone = await paySingles(options, setup, plan.alone)
  const besides = { ...plan.beside, rate: options.bulk.rate }
  const bulks = fsps.ask({ type: 'RUN', legs: options.bulk.legs, ...besides }, 'DONE')
  const [beside, { result: bulksBeside }] = await Promise.all([
    paySingles(options, setup, plan.besideBulks),
    bulks,
  ])
  const memory_mb = memory.stop()
  const moved = (await position(hub.operator, names[0])) - before
  const verify = await answered<{ readonly clean?: boolean }>(hub.operator.call('POST', '/verify'))
  const done = warm.done + (legs.at(-1)?.result.done ?? 0) + bulksBeside.done
  const settings = await hub.database.guarantees()
  const faults = [
    ...[warm, ...legs.map(({ result }) => result), bulksBeside].flatMap(({ failures }) =>
      Object.entries(failures).map(([why, n]) => `${n} bulks failed: ${why}`),
    ),
    ...Object.entries(beside.result.totals.failures).map(([why, n]) => `${n} payments: ${why}`),
    ...(moved === done * options.bulk.items ? [] : [`${moved} moved in ${done} bulks`]),
    ...(verify.clean === true ? [] : ['POST /verify finds differences']),
    ...(settings.fsync && settings.synchronous_commit ? [] : ['what is committed is not durable']),
  ]
  return { legs, alone, beside, bulksBeside, statements, memory_mb, faults, span }
}

async function statementsOf({ profile }: Bulk, { hub }: Setup): Promise<readonly Tally[]> {
  return profile ? hub.database.statements() : []
}

/** The most expensive first. */
function sinceOf(before: readonly Tally[], after: readonly Tally[]): readonly Tally[] {
  const known = new Map(before.map((tally) => [tally.name, tally]))
  return after
    .map(({ name, count, us }) => ({
      name,
      count: count - (known.get(name)?.count ?? 0),
      us: us - (known.get(name)?.us ?? 0),
    }))
    .sort((a, b) => b.us - a.us)
}

const now_us = () => Number(process.hrtime.bigint() / 1_000n)

/** Numbers of payments and of bulks; the measured ones are in the middle. */
function planOf({ payments, rate, warmup, bulk }: Bulk) {
  const margin = Math.ceil(rate * margin_s)
  const phase = payments + 2 * margin
  const singles = (from: number) => ({
    range: { from, to: from + phase },
    measured: { from: from + margin, to: from + margin + payments },
  })
  const oneByOne = { from: warmupBulks, to: warmupBulks + bulk.bulks }
  const count = Math.ceil((phase / rate) * bulk.rate)
  return {
    payments: warmup + 2 * phase,
    alone: singles(warmup),
    besideBulks: singles(warmup + phase),
    oneByOne,
    beside: { from: oneByOne.to, to: oneByOne.to + count },
    bulks: oneByOne.to + count,
  }
}

/** Makes and signs the messages of both processes, and warms up with payments. */
async function prepare(options: Bulk, { hub, fsps: ofSingles }: Setup, fsps: Fsps): Promise<void> {
  const { warmup, load, legs, bulk } = options
  const plan = planOf(options)
  const nothing = { from: 0, to: 0 }
  const range = { from: 0, to: warmup }
  const ofPayments = { run: nothing, warmup: range, warmupRate, measured: nothing }
  await ofSingles.ask(
    {
      type: 'PREPARE',
      hubUrl: hub.url,
      plan: { ...ofPayments, total: plan.payments },
      load,
      legs,
      disturb: undefined,
      valid_ms: hour_ms,
    },
    'PREPARED',
  )
  const { bulks } = plan
  const { items } = bulk
  await fsps.ask({ type: 'PREPARE', hubUrl: hub.url, bulks, items, valid_ms: hour_ms }, 'PREPARED')
  await ofSingles.ask({ type: 'RUN', range, rate: warmupRate, measured: undefined }, 'DONE')
}

async function passBulks(
  fsps: Fsps,
  legs: readonly BulkLeg[],
  range: { readonly from: number; readonly to: number },
): Promise<Result> {
  const { result } = await fsps.ask({ type: 'RUN', legs, ...range, rate: undefined }, 'DONE')
  return result
}

type Singles = Pick<ReturnType<typeof planOf>['alone'], 'range' | 'measured'>

async function paySingles(
  { rate }: Bulk,
  setup: Setup,
  { range, measured }: Singles,
): Promise<{ readonly result: RunResult; readonly used: CpuUse; readonly committed: number }> {
  const readings: { readonly use: CpuUse; readonly committed: number }[] = []
  const command = { type: 'RUN', range, rate, measured } as const
  const { result } = await setup.fsps.ask(command, 'DONE', (report) => {
    if (report.type !== 'WINDOW') return
    readings.push({ use: readUse(setup), committed: report.committed })
  })
  const [opened, closed] = readings
  if (opened === undefined || closed === undefined) throw new Error('nothing was measured')
  const committed = closed.committed - opened.committed
  return { result, used: since(opened.use, closed.use), committed }
}

function readUse({ hub: { pids, postmaster, broker }, fsps }: Setup): CpuUse {
  return readCpu({ hub: pids, postmaster, broker, fsps: fsps.pid })
}

function since(before: CpuUse, after: CpuUse): CpuUse {
  const used = (part: keyof Omit<CpuUse, 'processes_ms'>) => after[part] - before[part]
  return {
    hub_ms: used('hub_ms'),
    hub_main_thread_ms: used('hub_main_thread_ms'),
    processes_ms: {},
    postgres_ms: used('postgres_ms'),
    kafka_ms: used('kafka_ms'),
    fsps_ms: used('fsps_ms'),
    machine_ms: used('machine_ms'),
  }
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

/** The main thread's profile is the largest; for the bulks that come one after the other. */
async function readHubProfile(folder: string, span: Span): Promise<Profile | undefined> {
  const own = join(folder, 'hub')
  const files = (await readdir(own)).filter((name) => name.endsWith('.cpuprofile'))
  const texts = await Promise.all(files.map((name) => readFile(join(own, name), 'utf8')))
  const [text] = texts.sort((a, b) => b.length - a.length)
  return text === undefined ? undefined : readProfile(JSON.parse(text) as CpuProfile, span)
}
