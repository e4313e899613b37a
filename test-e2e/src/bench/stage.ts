/** What a run needs: a hub of its own, FSPs in a process beside it, and each known to the other. */
import { makeCsr } from '@causeway/pki'
import { join } from 'node:path'
import {
  newDataDir,
  removeDataDir,
  startHub,
  type HubOptions,
  type HubProcess,
} from '../hub/hub-process.ts'
import { answered, onboard, openScheme, operatorAt, type Operator } from '../hub/operator.ts'
import {
  countStatements,
  openHubDatabase,
  postmasterOf,
  type Holdings,
  type HubDatabase,
} from './database.ts'
import { forkFsps, type FspProcess } from './fsp-process.ts'
import type { Certified, OpenedFsp, Tls } from './messages.ts'
import { hubSettings, type BenchOptions } from './options.ts'
import { kid } from './payments.ts'

export interface Stage {
  readonly hub: HubProcess
  readonly fsps: FspProcess
  readonly operator: Operator
  readonly database: HubDatabase
  /** Number of the process. */
  readonly postmaster: number
  /** What the hub held before the payments; undefined: nothing. */
  readonly before: Holdings | undefined
  /** Whether the hub is asked in the end to compare all that it holds. */
  readonly verifies: boolean
  close(): Promise<void>
}

/** What a hub stands on that is kept between runs. */
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

/** @param profiles a folder for CPU profiles: those of the hub in `hub`, of the FSPs in `fsps` */
export async function openStage(
  options: BenchOptions,
  profiles: string | undefined,
  ground?: Ground,
): Promise<Stage> {
  const flagsOf = (name: string) =>
    profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profiles, name)}`]
  const dataDir = ground?.dataDir ?? (await newDataDir())
  const undo: (() => Promise<unknown> | void)[] = []
  if (ground === undefined) undo.push(() => removeDataDir(dataDir))
  const close = async () => {
    for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next()
  }
  try {
    const hubOptions = { dataDir, settings: hubSettings(options) }
    const isNew = ground?.isNew ?? true
    if (isNew) await prepareDatabase(hubOptions)
    const hub = await startHub({ ...hubOptions, nodeFlags: flagsOf('hub') })
    undo.push(() => hub.stop())
    const fsps = forkFsps(flagsOf('fsps'))
    undo.push(() => fsps.end())
    const database = await openHubDatabase(dataDir)
    undo.push(() => database.close())
    const operator = operatorAt(hub.urls.operator, hub.passwordFile)
    if (isNew) await openScheme(operator)
    await onboardAll(options, namesOf(options, ground?.prefix), operator, fsps)
    const before = isNew ? undefined : await database.holdings()
    const verifies = ground?.verifies ?? true
    const postmaster = postmasterOf(dataDir).pid
    return { hub, fsps, operator, database, postmaster, before, verifies, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** PostgreSQL counts statements from its second start on. */
async function prepareDatabase(hubOptions: HubOptions): Promise<void> {
  const hub = await startHub(hubOptions)
  try {
    await countStatements(hubOptions.dataDir)
  } finally {
    await hub.stop()
  }
}

export function namesOf({ fsps }: BenchOptions, prefix = 'bench'): readonly string[] {
  return Array.from({ length: fsps }, (_, n) => `${prefix}${n}`)
}

export async function onboardAll(
  options: BenchOptions,
  names: readonly string[],
  operator: Operator,
  fsps: FspProcess,
): Promise<void> {
  const call = (path: string, body: unknown) => answered(operator.call('POST', path, body))
  await eachOf(names, (name) => call('/participants', { name, currency: 'USD' }))
  const tls = options.identity === 'mtls' ? await certify(operator, names) : undefined
  const opened = await fsps.ask({ type: 'OPEN', names, tls, signed: options.signed }, 'OPENED')
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
