/**
 * The hub as it runs in production: each service in a process of its own, on Kafka and PostgreSQL,
 * with its own database role, its own rights at the brokers and its own certificate for calls
 * between services. The settings here are those that an operator would set.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { callsOf, hasDatabase, serviceNames, type ServiceName } from '@causeway/services'
import type { Fsp } from '../fsp/fsp.ts'
import { freePort, newDataDir, removeDataDir } from './hub-process.ts'
import { processes, type HubHost, type Running } from './hub-host.ts'
import { joinScheme } from '../operator/join.ts'
import { openScheme, operatorAt, type Operator } from '../operator/operator.ts'
import { secretsOf, writeSecrets } from './secrets.ts'
import { processNames, programOf, servicesIn, snake, type ProcessName } from './services.ts'

export interface ApartHub {
  readonly operator: Operator
  /** The password of the first administrator, until it is changed. */
  readonly passwordFile: string
  /** The name of the database. */
  readonly database: string
  readonly urls: {
    readonly fsp: string
    /** Of each edge. */
    readonly edges: readonly string[]
    readonly operator: string
  }
  /** Opens an FSP with a certificate and a key, and onboards it. */
  join(name: string): Promise<Fsp>
  /** SIGKILL; resolves when it is gone. */
  kill(name: ProcessName): Promise<void>
  /** Resolves when the process reports that it is ready. */
  start(name: ProcessName): Promise<void>
  /** SIGTERM, then a new process; rejects when the old one exits with an error. */
  restart(name: ProcessName): Promise<void>
  /** SIGSTOP: the process stops without a notice to any other. */
  freeze(name: ProcessName): void
  thaw(name: ProcessName): void
  /** The processes that ended without a signal from here. */
  endedByThemselves(): readonly ProcessName[]
  metricsOf(name: ProcessName): Promise<string>
  /** SIGTERM to all; resolves with their exit codes. */
  stop(): Promise<readonly (number | null)[]>
  /** What the service has logged. */
  logOf(name: ProcessName): string
  verify(): Promise<unknown>
  readyOf(name: ProcessName): Promise<number | undefined>
}

const start_ms_max = 240_000

interface Installation {
  readonly folder: string
  readonly database: string
  readonly passwordFile: string
  /** By the name of the process. */
  readonly environment: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/**
 * @param settings further settings for every service
 * @param names the processes to start
 */
export async function openApartHub(
  settings: Readonly<Record<string, string>> = {},
  host: HubHost = processes,
  names: readonly ProcessName[] = processNames,
): Promise<ApartHub> {
  const installation = await prepare(settings, host, names)
  const running = openProcesses(installation, host)
  const urls = urlsOf(installation, running, names, settings)
  const operator = retryWhileBusy(operatorAt(urls.operator, installation.passwordFile))
  const fsps: Fsp[] = []

  async function stop(): Promise<readonly (number | null)[]> {
    running.stopStarting()
    const codes = await Promise.all(names.map((name) => running.end(name, 'SIGTERM')))
    await Promise.all(fsps.map((fsp) => fsp.stop()))
    await removeDataDir(installation.folder)
    return codes
  }

  try {
    await Promise.all(names.map(running.start))
    await openScheme(operator)
  } catch (error) {
    const problems = names.map((name) => problemsIn(name, running.logOf(name)))
    await stop()
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`the hub did not start: ${why}\n${problems.join('')}`, { cause: error })
  }
  return {
    operator,
    passwordFile: installation.passwordFile,
    database: installation.database,
    urls,
    join: async (name) => {
      const access = { operator, fspUrl: () => urls.fsp, isSafe: true }
      const fsp = await joinScheme(access, name, { funds: '1000000', netDebitCap: '1000000' })
      fsps.push(fsp)
      return fsp
    },
    kill: async (name) => {
      await running.end(name, 'SIGKILL')
    },
    start: running.start,
    restart: running.restart,
    freeze: (name) => running.signal(name, 'SIGSTOP'),
    thaw: (name) => running.signal(name, 'SIGCONT'),
    endedByThemselves: () => names.filter(running.hasEndedByItself),
    async metricsOf(name) {
      const port = portOf(installation, name, 'METRICS_PORT')
      return (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
    },
    stop,
    readyOf: running.readyOf,
    logOf: running.logOf,
    verify: async () => (await operator.call('POST', '/verify')).json,
  }
}

function portOf(installation: Installation, name: ProcessName, port: string): string {
  return installation.environment[name]?.[port] ?? ''
}

function urlsOf(
  installation: Installation,
  { isReady }: Processes,
  names: readonly ProcessName[],
  settings: Readonly<Record<string, string>>,
): ApartHub['urls'] {
  const edges = names.filter((name) => servicesIn(name).includes('fspiop-api'))
  const [edge = 'fspiop-api'] = edges
  const admin = names.find((name) => servicesIn(name).includes('admin')) ?? 'admin'
  const isPlain = settings['EDGE_IDENTITY'] === 'header' || settings['EDGE_TLS'] === 'off'
  const scheme = isPlain ? 'http' : 'https'
  const fspUrl = (name: ProcessName) =>
    `${scheme}://127.0.0.1:${portOf(installation, name, 'FSP_PORT')}`
  return {
    /** As a load balancer selects it: an edge that is ready. */
    get fsp() {
      return fspUrl(edges.find(isReady) ?? edge)
    },
    edges: edges.map(fspUrl),
    operator: `http://127.0.0.1:${portOf(installation, admin, 'OPERATOR_PORT')}`,
  }
}

/** The processes of a hub, by name. */
interface Processes {
  readonly start: (name: ProcessName) => Promise<void>
  readonly restart: (name: ProcessName) => Promise<void>
  /** Resolves with null when the process had already ended. */
  readonly end: (name: ProcessName, signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>
  readonly signal: (name: ProcessName, signal: 'SIGSTOP' | 'SIGCONT') => void
  readonly isReady: (name: ProcessName) => boolean
  readonly readyOf: (name: ProcessName) => Promise<number | undefined>
  readonly hasEndedByItself: (name: ProcessName) => boolean
  readonly logOf: (name: ProcessName) => string
  /** Pending starts stop waiting. */
  stopStarting(): void
}

/** What a process needs did not answer on a busy machine: it is to be started again. */
const asksForStart = (log: string) => log.trimEnd().endsWith('start it again.')

function openProcesses(installation: Installation, host: HubHost): Processes {
  const running = new Map<ProcessName, Running>()
  const ready = new Set<Running>()
  const signalled = new Set<Running>()
  let stopping = false
  const logFile = (name: ProcessName) => join(installation.folder, `${name}.log`)
  const logOf = (name: ProcessName) => readFileSync(logFile(name), 'utf8')

  async function launch(name: ProcessName): Promise<Running> {
    const launched = await host.launch({
      name,
      main: mainOf(name),
      environment: installation.environment[name] ?? {},
      folder: installation.folder,
      logFile: logFile(name),
    })
    running.set(name, launched)
    return launched
  }

  async function readyOf(name: ProcessName): Promise<number | undefined> {
    const url = `http://127.0.0.1:${portOf(installation, name, 'METRICS_PORT')}/health/ready`
    const answer = await request(url).catch(() => undefined)
    await answer?.body.dump()
    return answer?.statusCode
  }

  async function start(name: ProcessName): Promise<void> {
    let launched = await launch(name)
    for (const until = Date.now() + start_ms_max; Date.now() < until; await wait(50)) {
      if ((await readyOf(name)) === 200) return void ready.add(launched)
      if (stopping || (launched.hasEnded && !asksForStart(logOf(name)))) break
      if (launched.hasEnded) launched = await launch(name)
    }
    throw new Error(`${name} did not start:\n${logOf(name).slice(-4_000)}`)
  }

  async function end(name: ProcessName, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const launched = running.get(name)
    if (launched === undefined || launched.hasEnded) return null
    ready.delete(launched)
    signalled.add(launched)
    launched.signal(signal)
    return launched.ended
  }

  async function restart(name: ProcessName): Promise<void> {
    const code = await end(name, 'SIGTERM')
    if (code !== 0) {
      throw new Error(
        `${name} had ended by itself, or with an error:\n${logOf(name).slice(-4_000)}`,
      )
    }
    await start(name)
  }

  const is = (name: ProcessName, asked: (one: Running) => boolean) =>
    [running.get(name)].some((one) => one !== undefined && asked(one))
  return {
    start,
    restart,
    end,
    readyOf,
    logOf,
    signal: (name, signal) => running.get(name)?.signal(signal),
    isReady: (name) => is(name, (one) => ready.has(one) && !one.hasEnded),
    hasEndedByItself: (name) => is(name, (one) => one.hasEnded && !signalled.has(one)),
    stopStarting: () => (stopping = true),
  }
}

/** The last warnings and errors of a log. */
function problemsIn(name: string, log: string): string {
  const lines = log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line))
  return lines
    .slice(-3)
    .map((line) => `${name}: ${line.slice(0, 600)}\n`)
    .join('')
}

/**
 * Repeats a call that is answered with 503: a machine that starts all services at once may answer
 * late.
 */
export function retryWhileBusy(operator: Operator): Operator {
  return {
    ...operator,
    async call(method, path, body) {
      let isLost = false
      for (const until = Date.now() + start_ms_max; ; await wait(500)) {
        const answer = await operator.call(method, path, body)
        const exists = /exists|already|duplicate/i.test(JSON.stringify(answer.json ?? ''))
        // A lost answer belonged to a call that succeeded: its repeat is refused because the object
        // exists.
        if (isLost && method === 'POST' && exists) return { ...answer, status: 200 }
        if (answer.status !== 503 || Date.now() > until) return answer
        isLost = true
      }
    },
  }
}

/** One administrator makes the changes of a test. */
const alone = { FOUR_EYES: 'optional', ACCEPT_RELAXATIONS: 'FOUR_EYES=optional' }

async function prepare(
  settings: Readonly<Record<string, string>>,
  host: HubHost,
  names: readonly ProcessName[],
): Promise<Installation> {
  const folder = await newDataDir()
  host.shareFile(folder)
  const suffix = randomBytes(4).toString('hex')
  const database = `apart_${suffix}`
  const urls = databaseUrls(host, database)
  const files = writeSecrets(host, folder)
  const topics = {
    KAFKA_TOPIC_PREFIX: `apart-${suffix}.`,
    KAFKA_REPLICAS: '1',
    KAFKA_MIN_INSYNC: '1',
    KAFKA_TOPIC_PARTITIONS: String(partitionsFor(names)),
  }
  await runOnce(host, folder, 'libs/runtime/dist/provision/main.js', {
    PROVISION_DATABASE_URL: host.databaseUrl('postgres'),
    ...urls,
  })
  await runOnce(host, folder, 'libs/runtime/dist/provision/migrate-main.js', urls)
  await runOnce(host, folder, 'libs/events/dist/provision.js', {
    ...topics,
    ...files.kafkaOf('provisioner'),
  })
  const ports = new Map<ProcessName, string>()
  for (const name of names) ports.set(name, await freePort())
  const entries = names.map(async (name) => {
    const services = servicesIn(name)
    const calls: Record<string, string> = {}
    for (const provider of services.flatMap(callsOf)) {
      if (services.includes(provider)) continue
      const replicas = names.filter((other) => servicesIn(other).includes(provider))
      const addresses = replicas.map((other) =>
        host.reach(`${name} to ${other}`, Number(ports.get(other))),
      )
      calls[`${snake(provider).toUpperCase()}_GRPC_URL`] = (await Promise.all(addresses)).join()
    }
    const values: Readonly<Record<string, string>> = {
      ...host.settings,
      ...topics,
      ...files.kafkaOf(programOf(name)),
      ...(services.length > 1 ? { SERVICES: programOf(name) } : {}),
      KAFKA_SESSION_MS: '6000',
      // The FSPs of tests are on this machine.
      EGRESS_LOOPBACK: 'allowed',
      OPERATOR_PROOF: settings['OPERATOR_IDENTITY'] === 'none' ? 'off' : 'required',
      GRPC_PORT: ports.get(name) ?? '',
      METRICS_PORT: await freePort(),
      ...databaseUrlsOf(services, urls),
      ...calls,
      ...files.grpcOf(name),
      ...secretsOf(files, services, name),
      ...(services.includes('fspiop-api') ? { FSP_PORT: await freePort() } : {}),
      ...(services.includes('admin') ? { OPERATOR_PORT: await freePort(), ...alone } : {}),
      ...settings,
    }
    return [name, values] as const
  })
  const { passwordFile } = files
  return {
    folder,
    database,
    passwordFile,
    environment: Object.fromEntries(await Promise.all(entries)),
  }
}

function mainOf(name: ProcessName): string {
  const services = servicesIn(name)
  return services.length > 1
    ? 'services/hub/dist/distributed/group.js'
    : `services/${services.join()}/dist/main.js`
}

/** Of the services that have a database. */
function databaseUrlsOf(
  services: readonly ServiceName[],
  urls: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = services
    .filter(hasDatabase)
    .map((service) => `${snake(service).toUpperCase()}_DATABASE_URL`)
  return Object.fromEntries(names.map((name) => [name, urls[name] ?? '']))
}

/** As many partitions as the most processes of a service, so that each of them has work. */
function partitionsFor(names: readonly ProcessName[]): number {
  const counts = serviceNames.map(
    (service) => names.filter((name) => servicesIn(name).includes(service)).length,
  )
  return Math.max(2, ...counts)
}

/** Runs a program that prepares something and ends. */
async function runOnce(
  host: HubHost,
  folder: string,
  main: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const logFile = join(folder, 'once.log')
  const { ended } = await host.launch({ name: main, main, environment, folder, logFile })
  if ((await ended) !== 0) throw new Error(`${main}: ${readFileSync(logFile, 'utf8')}`)
}

/** Of each service: the role that it uses, and the one that owns its tables. */
function databaseUrls(host: HubHost, database: string): Readonly<Record<string, string>> {
  const services = serviceNames.filter(hasDatabase)
  return Object.fromEntries(
    services.flatMap((service) => {
      const [role, prefix] = [snake(service), snake(service).toUpperCase()]
      return [
        [`${prefix}_DATABASE_URL`, host.databaseUrl(database, role)],
        [`${prefix}_MIGRATION_DATABASE_URL`, host.databaseUrl(database, `${role}_owner`)],
      ]
    }),
  )
}
