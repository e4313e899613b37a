/**
 * Sets up a run: a hub of its own, FSPs in a process of their own, and each registered with the
 * other.
 */
import { resolve } from 'node:path'
import { enrolCertificate } from '../operator/credentials.ts'
import { answered, onboard, type Operator } from '../operator/operator.ts'
import type { ProcessCounts } from './against/counts.ts'
import { openApart } from './apart.ts'
import { forkChild, type Child } from './child.ts'
import { readCpu, type CpuUse } from './cpu.ts'
import type { Holdings, HubDatabase } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { kid } from './fsps/link.ts'
import type { PaymentBenchCommand, Open, FspsOpened, PaymentBenchReport } from './fsps/messages.ts'
import type { BenchOptions } from './options.ts'

/** A running hub and its parts. */
export interface Hub {
  /** The URL for FSPs; several edges with commas between them. */
  readonly url: string
  readonly operatorUrl: string
  readonly passwordFile: string
  readonly operator: Operator
  readonly database: HubDatabase
  /** Process ids, by name. */
  readonly pids: ReadonlyMap<string, number>
  /** Process id. */
  readonly postmaster: number
  /** Process id; undefined: there is no broker. */
  readonly broker: number | undefined
  /** What its processes have counted so far; only where the options say that they count. */
  counts(): Promise<ProcessCounts>
  /** That were ever sent to the broker; NaN: there is none. */
  records(): Promise<number>
  /** Ends its processes in order, and everything around them. */
  close(): Promise<void>
}

export interface Setup {
  readonly hub: Hub
  readonly fsps: Child<PaymentBenchCommand, PaymentBenchReport>
  /** The content of the tables before the payments; undefined: none. */
  readonly before: Holdings | undefined
  /** Until now. */
  cpu(): CpuUse
  close(): Promise<void>
}

/** The data of a hub in one process that is stored between runs. */
export interface HubData {
  readonly dataDir: string
  /** No hub has run on it. */
  readonly isNew: boolean
  /** FSPs of earlier runs exist: new ones have this prefix. */
  readonly prefix: string
}

const counting = new URL('./against/counting.js', import.meta.url).href

/** More than any run needs. */
const funds = '1000000000'
const atATime = 8

export function openHub(options: BenchOptions, hubData?: HubData): Promise<Hub> {
  const { apart, groups, profiles, load, rate, counts } = options
  const flagsOf = (name: string) => [
    ...(counts ? ['--import', counting] : []),
    ...(profiles === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${resolve(profiles, `${load}-${rate}`, name)}`]),
  ]
  return apart === undefined && groups === undefined
    ? openEmbedded(options, flagsOf('hub'), hubData)
    : openApart(options, flagsOf)
}

export async function openSetup(options: BenchOptions, hubData?: HubData): Promise<Setup> {
  const hub = await openHub(options, hubData)
  const fsps = forkChild<PaymentBenchCommand, PaymentBenchReport>(
    new URL('./fsps/main.js', import.meta.url),
  )
  const close = async () => {
    await fsps.end()
    await hub.close()
  }
  try {
    const prefix = hubData?.prefix ?? 'bench'
    const names = Array.from({ length: options.fsps }, (_, n) => `${prefix}${n}`)
    await onboardAll(names, hub.operator, (command) => fsps.ask(command, 'OPENED'))
    const isNew = hubData?.isNew ?? true
    const before = isNew ? undefined : await hub.database.holdings()
    return { hub, fsps, before, cpu: () => cpuOf(hub, fsps), close }
  } catch (error) {
    await close()
    throw error
  }
}

export function cpuOf({ pids, postmaster, broker }: Hub, fsps: { readonly pid: number }): CpuUse {
  return readCpu({ hub: pids, postmaster, broker, fsps: fsps.pid })
}

/** @param open sends the process of the FSPs the command to open them */
export async function onboardAll(
  names: readonly string[],
  operator: Operator,
  open: (command: Open) => Promise<FspsOpened>,
): Promise<void> {
  const call = (path: string, body: unknown) => answered(operator.call('POST', path, body))
  await eachOf(names, (name) => call('/participants', { name, currency: 'USD' }))
  const certified = await eachOf(names, (name) => enrolCertificate(operator, name))
  const { fsps } = await open({ type: 'OPEN', names, certified })
  await eachOf(fsps, async ({ url, publicKey }, n) => {
    const name = names[n] ?? ''
    await call(`/participants/${name}/keys`, { kid, use: 'sig', publicKey })
    await onboard(operator, { name, url }, { netDebitCap: funds, funds })
  })
}

/** A few at a time, in order. */
async function eachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item, n: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += atATime) {
    const some = items.slice(from, from + atATime)
    results.push(...(await Promise.all(some.map((item, n) => work(item, from + n)))))
  }
  return results
}
