/** What a run needs: a hub of its own, FSPs in a process beside it, and each known to the other. */
import { makeCsr } from '@causeway/pki'
import { join } from 'node:path'
import { answered, onboard, type Operator } from '../hub/operator.ts'
import { openApart } from './apart.ts'
import type { Holdings, HubDatabase } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { forkFsps, type FspProcess } from './fsp-process.ts'
import { heapFlags, liveHeap } from './heap.ts'
import type { Certified, Open, OpenedFsp, Tls } from './messages.ts'
import type { BenchOptions } from './options.ts'
import { kid } from './payments.ts'

/** A hub that runs, and its parts. */
export interface Hub {
  /** Where FSPs reach it; several edges with commas between them. */
  readonly url: string
  readonly operator: Operator
  readonly database: HubDatabase
  /** Numbers of its processes, by name. */
  readonly pids: ReadonlyMap<string, number>
  /** Number of the process. */
  readonly postmaster: number
  /** Number of the process; undefined: it needs none. */
  readonly broker: number | undefined
  /** Its processes end in order. */
  stop(): Promise<unknown>
  /** Ends what is left of it and around it. */
  close(): Promise<void>
}

export interface Stage {
  readonly hub: Hub
  readonly fsps: FspProcess
  /** What the hub held before the payments; undefined: nothing. */
  readonly before: Holdings | undefined
  /** Whether the hub is asked in the end to compare all that it holds. */
  readonly verifies: boolean
  /** Bytes that the hub holds when all garbage is collected. */
  liveHeap(): Promise<number>
  close(): Promise<void>
}

/** What a hub in one process stands on that is kept between runs. */
export interface Ground {
  readonly dataDir: string
  /** Nobody has run a hub on it. */
  readonly isNew: boolean
  readonly verifies: boolean
  /** FSPs of earlier runs are there: these get names of their own. */
  readonly prefix: string
}

/** More than any run needs. */
const funds = '1000000000'
const atATime = 8

/**
 * @param profiles a folder for CPU profiles: one in it for each process, the FSPs' is `fsps`
 * @param heaps a folder that is there, in which the hub's processes tell what they hold
 */
export async function openStage(
  options: BenchOptions,
  { profiles, heaps }: { readonly profiles: string | undefined; readonly heaps: string },
  ground?: Ground,
): Promise<Stage> {
  const profiling = (name: string) =>
    profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profiles, name)}`]
  const flagsOf = (name: string) => [...heapFlags(heaps), ...profiling(name)]
  const hub =
    options.apart === undefined
      ? await openEmbedded(options, flagsOf('hub'), ground)
      : await openApart(options, options.apart, flagsOf)
  const fsps = forkFsps(profiling('fsps'))
  const close = async () => {
    await fsps.end()
    await hub.close()
  }
  try {
    const names = namesOf(options, ground?.prefix)
    await onboardAll(options, names, hub.operator, (command) => fsps.ask(command, 'OPENED'))
    const isNew = ground?.isNew ?? true
    const before = isNew ? undefined : await hub.database.holdings()
    return {
      hub,
      fsps,
      before,
      verifies: ground?.verifies ?? true,
      liveHeap: () => liveHeap(hub.pids.values(), heaps),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function namesOf({ fsps }: BenchOptions, prefix = 'bench'): readonly string[] {
  return Array.from({ length: fsps }, (_, n) => `${prefix}${n}`)
}

/** @param open how the process of the FSPs is told to open them */
export async function onboardAll(
  options: Pick<BenchOptions, 'identity' | 'signed'>,
  names: readonly string[],
  operator: Operator,
  open: (command: Open) => Promise<{ readonly fsps: readonly OpenedFsp[] }>,
): Promise<void> {
  const call = (path: string, body: unknown) => answered(operator.call('POST', path, body))
  await eachOf(names, (name) => call('/participants', { name, currency: 'USD' }))
  const tls = options.identity === 'mtls' ? await certify(operator, names) : undefined
  const opened = await open({ type: 'OPEN', names, tls, signed: options.signed })
  await eachOf(names, async (name, n) => {
    const { url, publicKey } = fspAt(opened.fsps, n)
    if (publicKey !== undefined) {
      await call(`/participants/${name}/keys`, { kid, use: 'sig', publicKey })
    }
    await onboard(operator, { name, url }, { netDebitCap: funds, funds })
  })
}

function fspAt(opened: readonly OpenedFsp[], n: number): OpenedFsp {
  const fsp = opened[n]
  if (fsp === undefined) throw new Error(`FSP ${n} did not open`)
  return fsp
}

/** Each FSP makes a key of its own and has the scheme's CA vouch for it. */
async function certify(operator: Operator, names: readonly string[]): Promise<Tls> {
  const certified = new Map<string, Certified>()
  let trusted = ''
  await eachOf(names, async (name) => {
    const { csr, key } = makeCsr({
      subject: { commonName: name, organization: undefined },
      names: { dns: ['localhost'], ip: ['127.0.0.1'] },
    })
    const { certificate, ca } = await answered<{ certificate: string; ca: string }>(
      operator.call('POST', `/participants/${name}/certificates`, { csr }),
    )
    certified.set(name, { certificate, key })
    trusted = ca
  })
  return {
    ca: trusted,
    fsps: names.map((name) => certified.get(name)).filter((each) => each !== undefined),
  }
}

/** A few at a time, in order. */
async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item, n: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += atATime) {
    const some = items.slice(from, from + atATime)
    await Promise.all(some.map((item, n) => work(item, from + n)))
  }
}
