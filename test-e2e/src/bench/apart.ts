/**
 * The hub of a run as it runs in production: services in groups, or each in processes of its own, one or
 * several of those that a payment passes through, on a PostgreSQL with fsync and one Kafka broker,
 * all on this machine.
 */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  brokerFolderVariable,
  brokerPortVariable,
  freePorts,
  killBroker,
  recordsIn,
  startBroker,
  writeCertificates,
} from '@causeway/bus/testing'
import { serviceNames, type ServiceName } from '@causeway/services'
import { openApartHub } from '../hub/apart.ts'
import { newDataDir, removeDataDir } from '../hub/hub-process.ts'
import { processes, type HubHost } from '../hub/hub-host.ts'
import { startPostgres, type Postgres } from '../hub/postgres.ts'
import type { ProcessName } from '../hub/services.ts'
import { brokerPortVariable as ofBroker, folderVariable, readCounts } from './against/counts.ts'
import { countStatements, openHubDatabase } from './database.ts'
import { hubSettings, isOfPisp, type BenchOptions } from './options.ts'
import type { Hub } from './setup.ts'

/** The services that a payment passes through; of the others one process is always enough. */
const onTheWay: readonly ServiceName[] = [
  'fspiop-api',
  'account-lookup',
  'quoting',
  'settlements',
  'transfers',
  'participant-lifecycle',
  'notifications',
]

/** Connections that PostgreSQL accepts. */
const connections_max = 500
/** Connections of each pool, so that all pools together stay below that. */
const connections = { DATABASE_CONNECTIONS_MAX: '2' } as const

/** The auth service verifies a link, and a payment of a PISP. */
const onTheWayOfThirdParties: readonly ServiceName[] = [...onTheWay, 'auth-service']

/** @param flagsOf flags of Node.js for a process */
export async function openApart(
  options: BenchOptions,
  flagsOf: (name: string) => readonly string[],
): Promise<Hub> {
  const folder = await newDataDir()
  chmodSync(folder, 0o755)
  const undo: (() => Promise<unknown>)[] = [() => removeDataDir(folder)]
  const close = async () => {
    for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next()
  }
  try {
    const dataDir = join(folder, 'postgres')
    const postgres = await startCounting(dataDir)
    undo.push(() => postgres.stop())
    const kafka = join(folder, 'kafka')
    const port = await freePorts()
    writeCertificates(kafka)
    await startBroker(port, kafka)
    undo.push(() => killBroker(kafka))
    process.env['CAUSEWAY_TEST_SOCKET_FOLDER'] = postgres.socketFolder
    process.env[brokerFolderVariable] = kafka
    process.env[brokerPortVariable] = String(port)
    const pids = new Map<string, number>()
    undo.push(() => Promise.resolve([...pids.values()].forEach(kill)))
    const counts = join(folder, 'counts')
    mkdirSync(counts)
    const ofCounts = { [folderVariable]: counts, [ofBroker]: String(port + 5) }
    const settings = { ...connections, ...hubSettings(options), ...ofCounts }
    const hub = await openApartHub(
      settings,
      counting(pids, flagsOf, options.checkout),
      namesOf(options),
    )
    undo.push(() => hub.stop())
    const database = await openHubDatabase({ dataDir, database: hub.database, bus: 'kafka' })
    undo.push(() => database.close())
    return {
      url: hub.urls.edges.join(','),
      operatorUrl: hub.urls.operator,
      passwordFile: hub.passwordFile,
      operator: hub.operator,
      database,
      pids,
      counts: () => readCounts(counts, pids.values()),
      records: () => recordsIn(`127.0.0.1:${port}`),
      postmaster: postgres.pid,
      broker: Number(readFileSync(join(kafka, 'pid'), 'utf8')),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function namesOf({ load, apart = 1, groups }: BenchOptions): readonly ProcessName[] {
  if (groups !== undefined) {
    const further = Array.from({ length: groups - 1 }, (_, n): ProcessName => `path-${n + 2}`)
    return ['path', ...further, 'participant-lifecycle', 'platform']
  }
  const replicated = isOfPisp(load) ? onTheWayOfThirdParties : onTheWay
  return serviceNames.flatMap((name): readonly ProcessName[] => {
    if (!replicated.includes(name)) return [name]
    const further = Array.from({ length: apart - 1 }, (_, n): ProcessName => `${name}-${n + 2}`)
    return [name, ...further]
  })
}

/** PostgreSQL counts statements from its second start on. */
async function startCounting(dataDir: string): Promise<Postgres> {
  const first = await startPostgres(dataDir, 'fsync')
  try {
    await countStatements(dataDir)
  } finally {
    await first.stop()
  }
  return startPostgres(dataDir, 'fsync', connections_max)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** The environment of the stories, extended by the list of processes. */
function counting(
  pids: Map<string, number>,
  flagsOf: (name: string) => readonly string[],
  checkout: string | undefined,
): HubHost {
  return {
    ...processes,
    async launch(program) {
      const running = await processes.launch({
        ...program,
        nodeFlags: flagsOf(program.name),
        checkout,
      })
      if (running.pid === undefined) return running
      const { pid } = running
      pids.set(program.name, pid)
      void running.ended.then(() => pids.get(program.name) === pid && pids.delete(program.name))
      return running
    },
  }
}
