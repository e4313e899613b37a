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
import { countStatements, openHubDatabase, postmasterOf, type HubDatabase } from './database.ts'
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
  close(): Promise<void>
}

/** More than any run needs. */
const funds = '1000000000'
const atATime = 8

/** @param profiles a folder for CPU profiles: those of the hub in `hub`, of the FSPs in `fsps` */
export async function openStage(
  options: BenchOptions,
  profiles: string | undefined,
): Promise<Stage> {
  const flagsOf = (name: string) =>
    profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profiles, name)}`]
  const dataDir = await newDataDir()
  const undo: (() => Promise<unknown> | void)[] = [() => removeDataDir(dataDir)]
  const close = async () => {
    for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next()
  }
  try {
    const hubOptions = { dataDir, settings: hubSettings(options) }
    await prepareDatabase(hubOptions)
    const hub = await startHub({ ...hubOptions, nodeFlags: flagsOf('hub') })
    undo.push(() => hub.stop())
    const fsps = forkFsps(flagsOf('fsps'))
    undo.push(() => fsps.end())
    const database = await openHubDatabase(dataDir)
    undo.push(() => database.close())
    const operator = operatorAt(hub.urls.operator, hub.passwordFile)
    await onboardAll(options, operator, fsps)
    return { hub, fsps, operator, database, postmaster: postmasterOf(dataDir).pid, close }
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

export function namesOf({ fsps }: Pick<BenchOptions, 'fsps'>): readonly string[] {
  return Array.from({ length: fsps }, (_, n) => `bench${n}`)
}

async function onboardAll(
  options: BenchOptions,
  operator: Operator,
  fsps: FspProcess,
): Promise<void> {
  const names = namesOf(options)
  await openScheme(operator)
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
