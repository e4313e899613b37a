/**
 * The same hub as containers: its own image for each service, and PostgreSQL, Kafka and Redis out of
 * theirs. They share the network of this machine, so that services and FSPs find each other on
 * 127.0.0.1 and nobody else finds them.
 *
 * Images are settings: CAUSEWAY_IMAGE, POSTGRES_IMAGE, KAFKA_IMAGE, REDIS_IMAGE.
 */
import { chownSync, createWriteStream } from 'node:fs'
import {
  GenericContainer,
  getContainerRuntimeClient,
  Wait,
  type StartedTestContainer,
} from 'testcontainers'
import { freePort } from './hub-process.ts'
import type { House, Running } from './house.ts'

/** The user of the image. */
const owner = 10_001
const password = 'causeway'
const start_ms_max = 120_000

const image = (name: string, usual: string) => process.env[`${name}_IMAGE`] ?? usual

/** Where what was started for the run is found by each of its tests. */
const around = {
  postgres: 'CAUSEWAY_TEST_POSTGRES_PORT',
  kafka: 'CAUSEWAY_TEST_KAFKA_PORT',
  redis: 'CAUSEWAY_TEST_REDIS_PORT',
} as const

/** PostgreSQL, Kafka and Redis for a whole run; the caller stops them. */
export async function openAround(): Promise<readonly StartedTestContainer[]> {
  const kafkaPort = Number(await freePort())
  const started = await Promise.all([openPostgres(), openKafka(kafkaPort), openRedis()])
  const [postgres, , redis] = started
  process.env[around.postgres] = String(postgres.getMappedPort(5432))
  process.env[around.kafka] = String(kafkaPort)
  process.env[around.redis] = String(redis.getMappedPort(6379))
  return started
}

function openPostgres(): Promise<StartedTestContainer> {
  return (
    new GenericContainer(image('POSTGRES', 'postgres:18'))
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand(['postgres', '-c', 'max_connections=300'])
      .withExposedPorts(5432)
      // While it is being set up it listens on its socket alone.
      .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready -h 127.0.0.1 -U postgres'))
      .withStartupTimeout(start_ms_max)
      .start()
  )
}

/** It tells its clients where to come back, so its port is known before it starts. */
function openKafka(port: number): Promise<StartedTestContainer> {
  return new GenericContainer(image('KAFKA', 'apache/kafka:4.1.0'))
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '4',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(start_ms_max)
    .start()
}

function openRedis(): Promise<StartedTestContainer> {
  return new GenericContainer(image('REDIS', 'redis:8'))
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .withStartupTimeout(start_ms_max)
    .start()
}

export const containers: House = {
  get settings() {
    return { REDIS_URL: `redis://127.0.0.1:${process.env[around.redis] ?? ''}` }
  },
  brokersFor: () => ({ KAFKA_BROKERS: `127.0.0.1:${process.env[around.kafka] ?? ''}` }),
  databaseUrl(database, role = 'postgres') {
    const port = process.env[around.postgres] ?? ''
    return `postgres://${role}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`
  },
  handOver(file) {
    if (process.getuid?.() === 0) chownSync(file, owner, owner)
  },
  async launch({ main, environment, folder, logFile }) {
    const uid = process.getuid?.() ?? owner
    const started = await new GenericContainer(image('CAUSEWAY', 'causeway'))
      .withNetworkMode('host')
      .withUser(uid === 0 ? `${owner}` : `${uid}`)
      .withCommand([main])
      .withEnvironment(environment)
      .withBindMounts([{ source: folder, target: folder, mode: 'ro' }])
      .withLogConsumer((stream) => stream.pipe(createWriteStream(logFile, { flags: 'a' })))
      .withAutoRemove(false)
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
    // Who has ended already takes no signal.
    signal: (signal: string) => void handle.kill({ signal }).catch(() => undefined),
  }
  void ended.then(() => (running.hasEnded = true))
  return running
}
