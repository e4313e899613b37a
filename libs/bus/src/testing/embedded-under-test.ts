/** The embedded engine for the contract tests, on a fresh database of the PostgreSQL of the run. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  socketPort,
  superuserClient,
  type Database,
  openDatabase,
  asSuperuser,
  provisionDatabase,
  serviceDatabases,
  socketUrl,
} from '@causeway/postgres'
import { socketFolderVariable } from '@causeway/postgres/testing'
import { openLog, type LogLevel, openMetrics } from '@causeway/process'
import type { InFlightBounds } from '../embedded/in-flight-window.ts'
import { openEmbeddedBus, sharedLog, type EmbeddedBus } from '../embedded/open.ts'
import { shopMigrations, type BusUnderTest, type CutDatabase } from './bus-under-test.ts'
import { openCommitCutter } from './commit-cutter.ts'

export interface EmbeddedUnderTest extends BusUnderTest {
  readonly engine: EmbeddedBus
  /** The bus's own. */
  readonly busDatabase: Database
  restart(): Promise<EmbeddedUnderTest>
  /** Runs SQL in a transaction that stays open until it is released. */
  hold(text: string): Promise<{ release(): Promise<void> }>
}

const shop = { url: '', schema: 'shop', migrations: shopMigrations, connections_max: 40 }
const log = openLog({ name: 'test', level: (process.env['LOG_LEVEL'] ?? 'silent') as LogLevel })

export async function openEmbeddedUnderTest(
  bounds: Partial<InFlightBounds> = {},
): Promise<EmbeddedUnderTest> {
  return openOn(`bus_${randomBytes(6).toString('hex')}`, bounds)
}

async function openOn(
  database: string,
  bounds: Partial<InFlightBounds>,
): Promise<EmbeddedUnderTest> {
  const socketFolder = process.env[socketFolderVariable] ?? ''
  await provisionDatabase(socketFolder, database)
  const databases = serviceDatabases({ socketFolder, database, shared: sharedLog, log })
  const metrics = openMetrics({ ofProcess: false })
  let busDatabase: Database | undefined
  const engine = await openEmbeddedBus({
    openDatabase: async (options, outbox) =>
      (busDatabase = await databases.openDatabase(options, outbox)),
    log,
    metrics,
    bounds,
  })
  if (busDatabase === undefined) throw new Error('the bus opened no database')
  const closers: (() => Promise<unknown>)[] = []

  async function close(): Promise<void> {
    await databases.close()
    for (const one of closers) await one()
  }

  async function openCutDatabase(): Promise<CutDatabase> {
    const folder = await mkdtemp(join(tmpdir(), 'cut-'))
    const socket = `.s.PGSQL.${socketPort}`
    const cutter = await openCommitCutter(join(folder, socket), join(socketFolder, socket), () =>
      cut.decide(),
    )
    const url = socketUrl(folder, database, 'shop')
    const cut: CutDatabase = {
      database: await openDatabase({ ...shop, url }, { outbox: engine.outbox, log }),
      decide: () => 'pass',
      onTheirWay: () => cutter.onTheirWay(),
    }
    closers.push(async () => {
      await cut.database.close()
      await cutter.close()
      await rm(folder, { recursive: true })
    })
    return cut
  }

  async function cutConnections(): Promise<number> {
    const { rowCount } = await asSuperuser(socketFolder, 'postgres', (client) =>
      client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        database,
      ]),
    )
    return rowCount ?? 0
  }

  async function crash(): Promise<void> {
    engine.crash()
    const closed = close()
    while ((await cutConnections()) > 0);
    await closed
  }

  return {
    engine,
    busDatabase,
    bus: engine.bus,
    metrics,
    database: await databases.openDatabase(shop, engine.outbox),
    announcements: 'bus.log',
    role: shop.schema,
    answers: () => engine.answers(),
    openCutDatabase,
    cutConnections: async () => {
      await cutConnections()
    },
    sql: async <Row>(text: string) =>
      asSuperuser(socketFolder, database, async (client) => {
        const { rows } = await client.query(text)
        return rows as Row[]
      }),
    async hold(text) {
      const client = superuserClient(socketFolder, database, 'test')
      await client.connect()
      await client.query(`begin; ${text}`)
      return { release: () => client.end() }
    },
    async restart() {
      await crash()
      return openOn(database, bounds)
    },
    async stop() {
      await crash()
      await asSuperuser(socketFolder, 'postgres', (client) =>
        client.query(`drop database ${database} with (force)`),
      )
    },
  }
}
