/**
 * The Kafka engine for the contract tests: topics of its own on the broker of the run, a fresh
 * database.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  socketPort,
  type Database,
  type DatabaseOptions,
  asSuperuser,
  provisionDatabase,
  socketUrl,
} from '@causeway/postgres'
import { testSocketFolder } from '@causeway/postgres/testing'
import { openLog, type Logger, type LogLevel, openMetrics } from '@causeway/process'
import type { Admin } from 'kafkajs'
import { testBroker } from './kafka-broker.ts'
import { openBrokers, type BrokerLogin, type Brokers } from '../kafka/brokers.ts'
import { openDatabases } from '../kafka/databases.ts'
import type { IntakeBounds } from '../kafka/members/member.ts'
import { openKafkaBus, type KafkaBus } from '../kafka/open.ts'
import { shopMigrations, type BusUnderTest, type CutDatabase } from './bus-under-test.ts'
import { openCommitCutter } from './commit-cutter.ts'

export interface KafkaUnderTest extends BusUnderTest {
  readonly engine: KafkaBus
  readonly brokers: Brokers
  restart(): Promise<KafkaUnderTest>
  /** Another process of the same hub, on the same topics and the same database. */
  openAnother(): Promise<KafkaUnderTest>
  /** The schema of a service, in the database of this hub. */
  openDatabase(options: Omit<DatabaseOptions, 'url'>): Promise<Database>
  /** The consumer groups of this hub that the brokers know. */
  groups(): Promise<readonly string[]>
  /** Number of members of a consumer group, as the brokers count. */
  membersOf(group: string): Promise<number>
  /** Deletes the messages of the only partition of a topic before that offset. */
  deleteBefore(topic: string, offset: number): Promise<void>
  /** An orderly stop of the process; nothing is deleted. */
  stopInOrder(): Promise<void>
}

export interface KafkaUnderTestOptions {
  readonly bounds?: Partial<IntakeBounds>
  /** Port at which the broker is reached; its own if omitted. */
  readonly address?: string
  readonly login?: BrokerLogin
  /** The catalogue of topics; those of the contract tests if omitted. */
  readonly topics?: readonly string[]
  readonly log?: Logger
  /** Partitions of each topic; 1 if omitted. */
  readonly partitions?: number
  readonly publish_ms_max?: number
  readonly session_ms?: number
}

const shop = { url: '', schema: 'shop', migrations: shopMigrations, connections_max: 40 }
const silent = openLog({ name: 'test', level: (process.env['LOG_LEVEL'] ?? 'silent') as LogLevel })

export async function openKafkaUnderTest(
  options: KafkaUnderTestOptions = {},
): Promise<KafkaUnderTest> {
  const name = `kafka_${randomBytes(6).toString('hex')}`
  await provisionDatabase(testSocketFolder(), name)
  await asSuperuser(testSocketFolder(), name, async (client) => {
    await client.query(`create role ${name} login`)
    await client.query(`grant create on database ${name} to ${name}`)
  })
  return openOn(name, options)
}

function brokersOf(address: string, { login, log = silent }: KafkaUnderTestOptions = {}): Brokers {
  const identity = { clientId: 'test', tls: undefined, login }
  return openBrokers({ ...identity, addresses: [address], log })
}

async function openOn(name: string, options: KafkaUnderTestOptions): Promise<KafkaUnderTest> {
  const { address = testBroker().address, bounds = {} } = options
  const {
    topics = ['orders', 'bills'],
    partitions = 1,
    publish_ms_max = 4_000,
    session_ms = 3_000,
    log = silent,
  } = options
  const socketFolder = testSocketFolder()
  const metrics = openMetrics({ ofProcess: false })
  const brokers = brokersOf(address, options)
  const engine = await openKafkaBus({
    brokers,
    topics: {
      prefix: `${name}.`,
      processName: 'shop',
      services: ['shop'],
      catalogue: topics,
      partitions,
      replicas: 1,
      minInsync: 1,
      retention_h: 1,
    },
    compression: 'none',
    publish_ms_max,
    session_ms,
    bounds,
    log,
    metrics,
  })
  const url = socketUrl(socketFolder, name, name)
  const databases = openDatabases({ url, kafka: engine, log })
  const closers: (() => Promise<unknown>)[] = []

  async function openCutDatabase(): Promise<CutDatabase> {
    const folder = await mkdtemp(join(tmpdir(), 'cut-'))
    const socket = `.s.PGSQL.${socketPort}`
    const cutter = await openCommitCutter(join(folder, socket), join(socketFolder, socket), () =>
      cut.decide(),
    )
    const cut: CutDatabase = {
      database: await databases.openDatabase({ ...shop, url: socketUrl(folder, name, name) }),
      decide: () => 'pass',
      onTheirWay: () => cutter.onTheirWay(),
    }
    closers.push(async () => {
      await cutter.close()
      await rm(folder, { recursive: true })
    })
    return cut
  }

  async function cutConnections(): Promise<number> {
    const { rowCount } = await asSuperuser(socketFolder, 'postgres', (client) =>
      client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        name,
      ]),
    )
    return rowCount ?? 0
  }

  async function crash(): Promise<void> {
    const crashed = engine.crash()
    const closed = databases.close()
    while ((await cutConnections()) > 0);
    await Promise.all([closed, crashed])
    for (const one of closers) await one()
  }

  async function forget(): Promise<void> {
    await asSuperuser(socketFolder, 'postgres', (client) =>
      client.query(`drop database if exists ${name} with (force)`),
    )
    await asSuperuser(socketFolder, 'postgres', (client) =>
      client.query(`drop role if exists ${name}`),
    )
    await deleteTopics(name)
  }

  return {
    engine,
    brokers,
    bus: engine.bus,
    metrics,
    database: await databases.openDatabase(shop),
    announcements: 'shop.outbox',
    role: name,
    answers: () => engine.answers(),
    openCutDatabase,
    async cutConnections() {
      brokers.cut()
      await cutConnections()
    },
    sql: async <Row>(text: string) =>
      asSuperuser(socketFolder, name, async (client) => {
        const { rows } = await client.query(text)
        return rows as Row[]
      }),
    async restart() {
      await crash()
      return openOn(name, options)
    },
    openDatabase: (ofService) => databases.openDatabase({ ...ofService, url: '' }),
    openAnother: () => openOn(name, options),
    groups: () =>
      withAdmin(async (admin) => {
        const { groups } = await admin.listGroups()
        return groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(`${name}.`))
      }),
    membersOf: (group) =>
      withAdmin(async (admin) => {
        const { groups } = await admin.describeGroups([`${name}.${group}`])
        return groups[0]?.members.length ?? 0
      }),
    deleteBefore: (topic, offset) =>
      withAdmin(async (admin) => {
        const of = `${name}.${topic}`
        // kafkajs does not know a topic before it has requested its metadata.
        await admin.fetchTopicOffsets(of)
        const partitions = [{ partition: 0, offset: String(offset) }]
        await admin.deleteTopicRecords({ topic: of, partitions })
      }),
    async stopInOrder() {
      await engine.stop()
      await databases.close()
      for (const one of closers) await one()
    },
    async stop() {
      await crash()
      await forget()
    },
  }
}

async function deleteTopics(name: string): Promise<void> {
  await withAdmin(async (admin) => {
    const topics = await admin.listTopics()
    await admin.deleteTopics({ topics: topics.filter((topic) => topic.startsWith(`${name}.`)) })
  })
}

async function withAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const brokers = brokersOf(testBroker().address)
  const admin = brokers.client({ retries: 5 }).admin()
  try {
    await admin.connect()
    const answer = await work(admin)
    await admin.disconnect()
    return answer
  } finally {
    brokers.close()
  }
}
