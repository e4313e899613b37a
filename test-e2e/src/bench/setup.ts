/**
 * Sets up a run: a hub of its own, FSPs in a process of their own, and each registered with the
 * other.
 */
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

/** A running hub and its parts. */
export interface Hub {
  /** The URL for FSPs; several edges with commas between them. */
  readonly url: string
  readonly operator: Operator
  readonly database: HubDatabase
  /** Process ids, by name. */
  readonly pids: ReadonlyMap<string, number>
  /** Process id. */
  readonly postmaster: number
  /** Process id; undefined: there is no broker. */
  readonly broker: number | undefined
  /** Stops its processes in order. */
  stop(): Promise<unknown>
  /** Ends the remaining processes and everything around them. */
  close(): Promise<void>
}

export interface Setup {
  readonly hub: Hub
  readonly fsps: FspProcess
  /** The content of the tables before the payments; undefined: none. */
  readonly before: Holdings | undefined
  /** Whether POST /verify is called at the end. */
  readonly verifies: boolean
  /** Bytes that the hub retains when all garbage is collected. */
  liveHeap(): Promise<number>
  close(): Promise<void>
}

/** The data of a hub in one process that is stored between runs. */
export interface HubData {
  readonly dataDir: string
  /** No hub has run on it. */
  readonly isNew: boolean
  readonly verifies: boolean
  /** FSPs of earlier runs exist: new ones have this prefix. */
  readonly prefix: string
}

/** More than any run needs. */
const funds = '1000000000'
const atATime = 8

/**
 * @param profiles a folder for CPU profiles: one in it for each process, the FSPs' is `fsps`
 * @param heaps an existing folder, in which the hub's processes report their heaps
 */
export async function openSetup(
  options: BenchOptions,
  { profiles, heaps }: { readonly profiles: string | undefined; readonly heaps: string },
  hubData?: HubData,
): Promise<Setup> {
  const profiling = (name: string) =>
    profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profiles, name)}`]
  const flagsOf = (name: string) => [...heapFlags(heaps), ...profiling(name)]
  const hub =
    options.apart === undefined
      ? await openEmbedded(options, flagsOf('hub'), hubData)
      : await openApart(options, options.apart, flagsOf)
  const fsps = forkFsps(profiling('fsps'))
  const close = async () => {
    await fsps.end()
    await hub.close()
  }
  try {
    const names = namesOf(options, hubData?.prefix)
    await onboardAll(options, names, hub.operator, (command) => fsps.ask(command, 'OPENED'))
    const isNew = hubData?.isNew ?? true
    const before = isNew ? undefined : await hub.database.holdings()
    return {
      hub,
      fsps,
      before,
      verifies: hubData?.verifies ?? true,
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

/** @param open sends the process of the FSPs the command to open them */
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

/** Each FSP makes a key of its own and gets a certificate of the scheme's CA for it. */
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
