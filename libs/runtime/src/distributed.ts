/**
 * The parts of a process in a distributed hub: events over Kafka, a database of its own, other services
 * over gRPC. Published events survive the loss of any process, and of any one broker if there are three.
 */
import type { BrokersOptions, KafkaBusOptions } from '@causeway/bus/kafka'
import type { OpenGrpcHost } from '@causeway/grpc'
import { overNetwork } from '@causeway/http'
import { type DatabaseOptions, rightsIn, sqlState } from '@causeway/postgres'
import {
  type HealthChecks,
  type InsecureMode,
  listIn,
  type Logger,
  type Metrics,
  openHealth,
  openMetrics,
  outageIn,
  readPem,
  reportInsecureModes,
  retrying,
  StartError,
} from '@causeway/process'
import type { DistributedSettings } from './distributed-settings.ts'
import { openDistributedGrpc } from './distributed-grpc.ts'
import { serveApprovals } from './approval-owners.ts'
import { serveEventDeadLetters } from './event-dead-letters.ts'
import type { ProcessParts } from './process-parts.ts'
import { insecureRole, insecureTransport } from './transport.ts'
import type { RedisMemory } from './memory/redis.ts'
import { nothingShared } from './memory/shared-memory.ts'

/**
 * A message is acknowledged within this time or has failed. The low watermark is later by as much, and so are
 * the time-outs of transfers.
 */
const publish_ms_max = 5_000
/** The longest wait for Redis; after that the value counts as absent. An answer takes less than 1 ms. */
const redis_ms_max = 20

export interface DistributedOptions {
  /** Of the process: its name for brokers and databases, and the common name of its certificates. */
  readonly name: string
  readonly settings: DistributedSettings
  /** Every topic of the catalogue of events; missing ones are created. */
  readonly topics: readonly string[]
  /** host:port, or unix:/path, of the gRPC server of that service; undefined: it runs in this process. */
  readonly addressOf: (provider: string) => string | undefined
  /** The services that may call a gRPC method, by its path. */
  readonly callersOf: (path: string) => readonly string[]
  /** The services that a process of that name runs. */
  readonly servicesOf: (processName: string) => readonly string[]
  readonly log: Logger
}

export interface DistributedParts extends ProcessParts {
  readonly health: HealthChecks
  /** The gRPC address of this process for others. */
  readonly grpcAddress: string
  /** Milliseconds since events last made progress; undefined when there are none. */
  progress(): number | undefined
  /** Calls of other services are no longer accepted; the service itself continues. */
  drain(): Promise<void>
  /** After the service has stopped: closes everything in reverse order. */
  stop(): Promise<void>
}

/** Throws StartError with one sentence for everything that an operator can repair. */
export async function openDistributed(options: DistributedOptions): Promise<DistributedParts> {
  const { settings, log } = options
  const services = options.servicesOf(options.name)
  const databaseUrls = databaseUrlsOf(services, settings)
  const modes = await insecureTransport({ settings, databaseUrls })
  const metrics = openMetrics({ ofProcess: true })
  const busOptions = { ...(await busOptionsOf({ ...options, services })), log, metrics }
  // A hub in one process does not need the Kafka client, so it is loaded only here.
  const { openBrokers, openDatabases, openKafkaBus } = await import('@causeway/bus/kafka')
  log.info({ brokers: busOptions.brokers.addresses }, 'waiting for Kafka')
  const kafka = await openKafkaBus({ ...busOptions, brokers: openBrokers(busOptions.brokers) })
  const databases = openDatabases({ url: settings.DATABASE_URL, kafka, log })
  const redis = await redisOf(options, metrics)
  let grpc: OpenGrpcHost
  try {
    grpc = await openDistributedGrpc({ ...options, metrics })
  } catch (error) {
    await kafka.stop()
    throw error
  }
  serveEventDeadLetters(grpc, kafka.bus)
  const approvals = serveApprovals(grpc)
  const health = openHealth()
  const unproved: readonly InsecureMode[] =
    settings.OPERATOR_PROOF === 'off' ? [{ mode: 'OPERATOR_PROOF=off' }] : []
  const report = (found: readonly InsecureMode[]) =>
    reportInsecureModes(options.name, found, { log, metrics, health })
  report([...modes, ...unproved])
  health.ready('kafka', () => kafka.answers())
  health.ready('postgresql', () => databases.answer())
  return {
    log,
    bus: kafka.bus,
    grpc,
    approvals,
    http: overNetwork,
    grpcAddress: grpc.address,
    health,
    metrics,
    shared: redis ?? nothingShared,
    async openDatabase(databaseOptions) {
      const db = await waitFor(databaseOptions, log, () => databases.openDatabase(databaseOptions))
      const { schema, url: ownUrl } = databaseOptions
      const url = ownUrl === '' ? settings.DATABASE_URL : ownUrl
      try {
        const rights = await rightsIn({ url, schema, applicationName: schema })
        report(await insecureRole(rights, { databaseUrl: url, settings }))
      } catch (error) {
        await db.close()
        throw error
      }
      return db
    },
    openExclusive: (exclusiveOptions) => databases.openExclusive(exclusiveOptions),
    progress: () => kafka.progress(),
    drain: () => grpc.drain(),
    async stop() {
      await grpc.stop()
      redis?.stop()
      await kafka.stop()
      await databases.close()
    },
  }
}

/** Of each service its own, or that of all. */
function databaseUrlsOf(
  services: readonly string[],
  settings: DistributedSettings,
): readonly string[] {
  const values: Readonly<Record<string, unknown>> = settings
  const urls = services.flatMap((service) => {
    const own = values[`${service.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`]
    return typeof own === 'string' ? [own === '' ? settings.DATABASE_URL : own] : []
  })
  return [...new Set(urls)]
}

/** No request depends on Redis, so it may be away at any time. */
async function redisOf(
  { name, settings, log }: Pick<DistributedOptions, 'name' | 'settings' | 'log'>,
  metrics: Metrics,
): Promise<RedisMemory | undefined> {
  const { REDIS_URL: url, REDIS_PREFIX } = settings
  if (url === undefined) return undefined
  if (!/^rediss?:\/\//.test(url))
    throw new StartError('REDIS_URL begins with redis:// or rediss://.')
  const { openRedisMemory } = await import('./memory/redis.ts')
  return openRedisMemory({
    url,
    prefix: `${REDIS_PREFIX}${name}:`,
    timeout_ms: redis_ms_max,
    log,
    metrics,
  })
}

/** PostgreSQL may start after this process; a refusal is for an operator to repair. */
async function waitFor<Db>(
  { schema }: Pick<DatabaseOptions, 'schema'>,
  log: Logger,
  open: () => Promise<Db>,
): Promise<Db> {
  const openOrRefuse = async (): Promise<Db> => {
    try {
      return await open()
    } catch (error) {
      const isRefused =
        outageIn(error)?.kind === 'REFUSED' || /^(3F|42501)/.test(sqlState(error) ?? '')
      if (!isRefused) throw error
      const { message } = error as Error
      throw new StartError(`The database of ${schema} cannot be used: ${message}.`)
    }
  }
  return retrying(openOrRefuse, { log, what: `waiting for the database of ${schema}` })
}

/** The options of the bus from the settings; a StartError names the first one that is wrong. */
export async function busOptionsOf(
  options: Pick<DistributedOptions, 'name' | 'settings' | 'topics' | 'log'> & {
    /** Of the process. */
    readonly services: readonly string[]
  },
): Promise<Omit<KafkaBusOptions, 'brokers' | 'metrics'> & { readonly brokers: BrokersOptions }> {
  const { name, services, settings, topics, log } = options
  const { KAFKA_REPLICAS: replicas, KAFKA_MIN_INSYNC: minInsync } = settings
  if (minInsync > replicas) {
    throw new StartError(
      `KAFKA_MIN_INSYNC is ${minInsync}, but KAFKA_REPLICAS is only ${replicas}.`,
    )
  }
  return {
    brokers: await brokersOptions(options),
    topics: {
      prefix: settings.KAFKA_TOPIC_PREFIX,
      processName: name,
      services,
      catalogue: topics,
      partitions: settings.KAFKA_TOPIC_PARTITIONS,
      replicas,
      minInsync,
      retention_h: settings.KAFKA_RETENTION_H,
    },
    compression: settings.KAFKA_COMPRESSION,
    publish_ms_max,
    session_ms: settings.KAFKA_SESSION_MS,
    log,
  }
}

/** The identity of the process for the brokers, from the files and names in the settings. */
async function brokersOptions({
  name,
  settings,
  log,
}: Pick<DistributedOptions, 'name' | 'settings' | 'log'>): Promise<BrokersOptions> {
  const addresses = listIn(settings.KAFKA_BROKERS)
  const wrong = addresses.find((address) => !/^[^\s:]+:\d+$|^\[[^\s]+\]:\d+$/.test(address))
  if (addresses.length === 0) throw new StartError('KAFKA_BROKERS names no broker.')
  if (wrong !== undefined) {
    throw new StartError(`KAFKA_BROKERS is host:port, separated by commas; '${wrong}' is not.`)
  }
  return {
    addresses,
    clientId: `causeway-${name}`,
    tls: settings.KAFKA_TLS === 'on' ? await tlsOf(settings) : undefined,
    login: loginOf(settings),
    log,
  }
}

async function tlsOf(settings: DistributedSettings): Promise<BrokersOptions['tls']> {
  const { KAFKA_TLS_CA_FILE: ca, KAFKA_TLS_CERTIFICATE_FILE: certificate } = settings
  const pem = async (setting: string, file: string | undefined) =>
    file === undefined ? undefined : readPem(setting, file)
  return {
    ca: await pem('KAFKA_TLS_CA_FILE', ca),
    certificate: await pem('KAFKA_TLS_CERTIFICATE_FILE', certificate),
    // A certificate needs its key.
    key:
      certificate === undefined
        ? undefined
        : await readPem('KAFKA_TLS_KEY_FILE', settings.KAFKA_TLS_KEY_FILE),
  }
}

function loginOf(settings: DistributedSettings): BrokersOptions['login'] {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USER: user } = settings
  if (mechanism === 'none') return undefined
  if (user === undefined) throw new StartError('KAFKA_SASL_USER is not set.')
  return { mechanism, user, password: settings.KAFKA_SASL_PASSWORD }
}
