/**
 * What a payment costs when services run apart, one process or several of each that a payment passes
 * through, on a PostgreSQL with fsync and one Kafka broker, all on this machine.
 */
import { openApartHub, type ApartHub } from '../../hub/apart.ts'
import { serviceNames, serviceOf, type ProcessName, type ServiceName } from '../../hub/services.ts'
import { familyCpu_ms, machineCpu_ms, processCpu_ms } from '../cpu.ts'
import { forkFsps, type FspProcess } from '../fsp-process.ts'
import { isClean } from '../gate.ts'
import { measureMachine } from '../machine.ts'
import type { RunResult } from '../messages.ts'
import type { BenchOptions } from '../options.ts'
import { planOf, type Plan } from '../plan.ts'
import { namesOf, onboardAll } from '../stage.ts'
import { heedSignals, openAround, type Around } from './around.ts'
import { keep, loadNow, type Point } from './results.ts'

export interface ReplicasOptions {
  readonly bench: BenchOptions
  readonly sizes: readonly number[]
  readonly results: string
  readonly say: (sentence: string) => void
}

/** Of the others one is enough for any number of payments. */
const onTheWay: readonly ServiceName[] = [
  'fspiop-api',
  'account-lookup',
  'quoting',
  'settlements',
  'transfers',
  'participant-lifecycle',
  'notifications',
]

/** So that all of them together stay below what PostgreSQL has. */
const connections = {
  ACCOUNT_LOOKUP_CONNECTIONS_MAX: '2',
  QUOTING_CONNECTIONS_MAX: '2',
  SETTLEMENTS_CONNECTIONS_MAX: '2',
  TRANSFERS_CONNECTIONS_MAX: '2',
} as const
const valid_ms = 7_200_000

export async function measureReplicas({ bench, sizes, results, say }: ReplicasOptions) {
  for (const size of sizes) {
    const machine = await measureMachine()
    const load_before = loadNow()
    const measured = await measureApart(bench, size)
    const us_per_post = machine.node_http_us_per_post
    const point: Point = { ...measured, load_before, us_per_post, at: new Date().toISOString() }
    keep(results, 'replicas', point, machine)
    const { hub, postgres, kafka } = point.cpu_ms
    say(`${size} of each: ${hub} + ${postgres} + ${kafka ?? 0} ms CPU.`)
  }
}

type Measured = Omit<Point, 'load_before' | 'us_per_post' | 'at'>

async function measureApart(bench: BenchOptions, size: number): Promise<Measured> {
  const around = await openAround()
  const fsps = forkFsps([])
  let hub: ApartHub | undefined
  const clear = async () => {
    await fsps.end()
    await hub?.stop()
    await around.close()
  }
  const unheed = heedSignals(clear)
  try {
    const names = serviceNames.flatMap((name) =>
      onTheWay.includes(name) ? of(name, size) : [name],
    )
    hub = await openApartHub({ LOG_LEVEL: 'warn', ...connections }, around.house, names)
    await onboardAll(bench, namesOf(bench), hub.operator, fsps)
    return await pay(bench, size, hub, fsps, around)
  } finally {
    unheed()
    await clear()
  }
}

function of(name: ServiceName, size: number): readonly ProcessName[] {
  const further = Array.from({ length: size - 1 }, (_, n): ProcessName => `${name}-${n + 2}`)
  return [name, ...further]
}

async function pay(
  bench: BenchOptions,
  size: number,
  hub: ApartHub,
  fsps: FspProcess,
  around: Around,
): Promise<Measured> {
  const plan = planOf(bench)
  const { load, legs, rate } = bench
  const hubUrl = hub.urls.edges.join(',')
  await fsps.ask({ type: 'PREPARE', hubUrl, plan, load, legs, valid_ms }, 'PREPARED')
  const { warmup, warmupRate } = plan
  const before = { type: 'RUN', range: warmup, rate: warmupRate, measured: undefined } as const
  await fsps.ask(before, 'DONE')
  const { result, opened, closed } = await run(fsps, around, plan, rate)
  const committed = closed.committed - opened.committed
  const each = (part: (use: Use) => number) =>
    Math.round(((part(closed.use) - part(opened.use)) * 1_000) / committed) / 1_000
  const services = Object.fromEntries(
    serviceNames.map((name) => [name, each((use) => use.services.get(name) ?? 0)]),
  )
  const own = each(({ machine }) => machine)
  const cpu_ms = {
    hub: each(({ services: all }) => [...all.values()].reduce((sum, ms) => sum + ms, 0)),
    postgres: each(({ postgres }) => postgres),
    kafka: each(({ kafka }) => kafka),
  }
  const counted = cpu_ms.hub + cpu_ms.postgres + cpu_ms.kafka + each(({ fsps: ms }) => ms)
  const perSecond = (committed * 1_000) / (closed.at_ms - opened.at_ms)
  const { p50, p95, p99 } = result.measured.latency_ms
  const failed = result.totals.begun - result.totals.committed
  return {
    size,
    rate,
    payments: bench.payments,
    failed,
    cpu_ms,
    services,
    processes: around.pids.size,
    latency_ms: { p50, p95, p99 },
    others_cores: Math.round((own - counted) * perSecond) / 1_000,
    verify: isClean(await hub.verify()) ? 'clean' : 'NOT CLEAN',
    faults: failed === 0 ? [] : [`${failed} payments failed`],
  }
}

interface Use {
  readonly services: ReadonlyMap<ServiceName, number>
  readonly postgres: number
  readonly kafka: number
  readonly fsps: number
  readonly machine: number
}

interface Edge {
  readonly at_ms: number
  readonly committed: number
  readonly use: Use
}

async function run(fsps: FspProcess, around: Around, plan: Plan, rate: number) {
  const edges = new Map<string, Edge>()
  const command = { type: 'RUN', range: plan.run, rate, measured: plan.measured } as const
  const { result }: { readonly result: RunResult } = await fsps.ask(command, 'DONE', (report) => {
    if (report.type !== 'WINDOW') return
    const { at_ms, committed } = report
    edges.set(report.edge, { at_ms, committed, use: useNow(around, fsps.pid) })
  })
  const [opened, closed] = [edges.get('OPENED'), edges.get('CLOSED')]
  if (opened === undefined || closed === undefined) throw new Error('nothing was measured')
  return { result, opened, closed }
}

function useNow({ pids, postmaster, broker }: Around, fsps: number): Use {
  const services = new Map<ServiceName, number>()
  for (const [name, pid] of pids) {
    const service = serviceOf(name as ProcessName)
    services.set(service, (services.get(service) ?? 0) + processCpu_ms(pid))
  }
  return {
    services,
    postgres: familyCpu_ms(postmaster),
    kafka: processCpu_ms(broker),
    fsps: processCpu_ms(fsps),
    machine: machineCpu_ms(),
  }
}
