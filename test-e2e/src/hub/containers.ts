/**
 * The same hub as containers: its own image for each service, and PostgreSQL, Kafka and Redis from
 * their images. All share the network of this machine: services and FSPs reach each other on
 * 127.0.0.1, and no other host reaches them.
 *
 * The images are settings: CAUSEWAY_IMAGE, POSTGRES_IMAGE, KAFKA_IMAGE, REDIS_IMAGE.
 */
import { chownSync, createWriteStream } from 'node:fs'
import {
  GenericContainer,
  getContainerRuntimeClient,
  Wait,
  type StartedTestContainer,
} from 'testcontainers'
import { groupNames, serviceNames } from '@causeway/services'
import { freePort } from './hub-process.ts'
import { processes, type HubHost, type Running } from './hub-host.ts'

/** The user of the image. */
const owner = 10_001
const password = 'causeway'
const start_ms_max = 120_000
const plainLogin = 'org.apache.kafka.common.security.plain.PlainLoginModule required'
/**
 * In place of that of the image: Docker runs it every five seconds for a minute, and fifteen processes of
 * Node.js that begin at once take a small machine to themselves.
 */
const noHealthCheck = { test: ['CMD', 'true'] as ['CMD', string], interval: 3_600_000 }
/** Where the broker stores its log. */
const brokerData = '/var/lib/kafka/data'

/** The program that started the run removes by it what is left at the end. */
const runLabel = { 'causeway.test-run': process.env['CAUSEWAY_TEST_RUN'] ?? 'none' }

const image = (name: string, usual: string) => process.env[`${name}_IMAGE`] ?? usual

/** Each test of the run finds the started containers here. */
const portOf = {
  postgres: 'CAUSEWAY_TEST_POSTGRES_PORT',
  kafka: 'CAUSEWAY_TEST_KAFKA_PORT',
  redis: 'CAUSEWAY_TEST_REDIS_PORT',
} as const

/** What the hub depends on. */
export interface Infrastructure {
  readonly postgres: StartedTestContainer
  readonly kafka: StartedTestContainer
  readonly redis: StartedTestContainer
}

/**
 * For a whole run; the caller stops them. A restart does not change their ports.
 * @param kafkaData a folder of this machine for the log, writable for every user
 */
export async function openInfrastructure(kafkaData?: string): Promise<Infrastructure> {
  const ports = {
    postgres: await freePort(),
    kafka: await freePort(),
    redis: await freePort(),
  }
  const [postgres, kafka, redis] = await Promise.all([
    openPostgres(Number(ports.postgres)),
    openKafka(Number(ports.kafka), kafkaData),
    openRedis(Number(ports.redis)),
  ])
  for (const name of ['postgres', 'kafka', 'redis'] as const)
    process.env[portOf[name]] = ports[name]
  return { postgres, kafka, redis }
}

function openPostgres(port: number): Promise<StartedTestContainer> {
  return (
    new GenericContainer(image('POSTGRES', 'postgres:18'))
      .withLabels(runLabel)
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand(['postgres', '-c', 'max_connections=300'])
      .withExposedPorts({ container: 5432, host: port })
      // During its initialization it listens on its socket only.
      .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready -h 127.0.0.1 -U postgres'))
      .withStartupTimeout(start_ms_max)
      .start()
  )
}

/**
 * The broker advertises its address to clients, so its port is fixed before it starts. Each service
 * and group is a user of its own with the rights of its access rules; the provisioner creates the rules and
 * may do everything.
 */
function openKafka(port: number, data: string | undefined): Promise<StartedTestContainer> {
  const users = ['provisioner', ...groupNames, ...serviceNames].map(
    (user) => `user_${user}="${password}"`,
  )
  return new GenericContainer(image('KAFKA', 'apache/kafka:4.1.0'))
    .withLabels(runLabel)
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_LISTENERS: 'SERVICES://:9092,CONTROLLER://:9093,BROKERS://:9094',
      KAFKA_ADVERTISED_LISTENERS: `SERVICES://127.0.0.1:${port},BROKERS://localhost:9094`,
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'BROKERS',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP:
        'SERVICES:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT,BROKERS:PLAINTEXT',
      KAFKA_SASL_ENABLED_MECHANISMS: 'PLAIN',
      KAFKA_LISTENER_NAME_SERVICES_PLAIN_SASL_JAAS_CONFIG: `${plainLogin} ${users.join(' ')};`,
      KAFKA_AUTHORIZER_CLASS_NAME: 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      KAFKA_SUPER_USERS: 'User:ANONYMOUS;User:provisioner',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '4',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
      KAFKA_LOG_DIRS: brokerData,
    })
    .withBindMounts(data === undefined ? [] : [{ source: data, target: brokerData, mode: 'rw' }])
    .withWaitStrategy(Wait.forSuccessfulCommand("bash -c '</dev/tcp/127.0.0.1/9092'"))
    .withStartupTimeout(start_ms_max)
    .start()
}

/** Readiness is never detected by a line of a log: after a restart an old line may match. */
function openRedis(port: number): Promise<StartedTestContainer> {
  return new GenericContainer(image('REDIS', 'redis:8'))
    .withLabels(runLabel)
    .withExposedPorts({ container: 6379, host: port })
    .withWaitStrategy(Wait.forSuccessfulCommand('redis-cli ping'))
    .withStartupTimeout(start_ms_max)
    .start()
}

export const containers: HubHost = {
  get settings() {
    return { REDIS_URL: `redis://127.0.0.1:${process.env[portOf.redis] ?? ''}` }
  },
  brokersFor: (user) => ({
    KAFKA_BROKERS: `127.0.0.1:${process.env[portOf.kafka] ?? ''}`,
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USER: user,
    KAFKA_SASL_PASSWORD: password,
  }),
  databaseUrl(database, role = 'postgres') {
    const port = process.env[portOf.postgres] ?? ''
    return `postgres://${role}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`
  },
  reach: (name, port) => processes.reach(name, port),
  shareFile(file) {
    if (process.getuid?.() === 0) chownSync(file, owner, owner)
  },
  async launch({ main, environment, folder, logFile }) {
    const uid = process.getuid?.() ?? owner
    const started = await new GenericContainer(image('CAUSEWAY', 'causeway'))
      .withLabels(runLabel)
      .withNetworkMode('host')
      .withUser(uid === 0 ? `${owner}` : `${uid}`)
      .withCommand([main])
      .withEnvironment(environment)
      .withBindMounts([{ source: folder, target: folder, mode: 'ro' }])
      .withLogConsumer((stream) => stream.pipe(createWriteStream(logFile, { flags: 'a' })))
      .withAutoRemove(false)
      .withHealthCheck(noHealthCheck)
      .start()
    return runningOf(started)
  },
}

async function runningOf(started: StartedTestContainer): Promise<Running> {
  const { container } = await getContainerRuntimeClient()
  const handle = container.getById(started.getId())
  const ended = (async () => {
    const { StatusCode } = (await handle.wait()) as { readonly StatusCode: number }
    await handle.remove({ force: true })
    return StatusCode
  })()
  const running = {
    hasEnded: false,
    ended,
    // A process that has ended receives no signal.
    signal: (signal: string) => void handle.kill({ signal }).catch(() => undefined),
  }
  void ended.then(() => (running.hasEnded = true))
  return running
}
