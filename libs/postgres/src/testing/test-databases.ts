/** Databases for one test, of its own, on the PostgreSQL of the run. */
import { randomBytes } from 'node:crypto'
import { openLog, type Logger, type LogLevel } from '@causeway/process'
import pg from 'pg'
import type { Database } from '../database.ts'
import type { ExclusiveDatabase, ExclusiveOptions } from '../exclusive.ts'
import { superuser } from '../hub-lock.ts'
import type { DatabaseOptions } from '../open.ts'
import { asSuperuser } from '../roles/provision.ts'
import { serviceDatabases, socketUrl } from '../service-databases.ts'
import { testSocketFolder } from './test-server.ts'

export interface TestDatabase {
  readonly name: string
  /** For the superuser, to inspect it from outside. */
  readonly url: string
  /** Runs a statement with the rights of that role alone. */
  queryAs<Row extends object>(role: string, sql: string): Promise<readonly Row[]>
  drop(): Promise<void>
}

/** Empty, or a copy of the template. */
export async function createTestDatabase(template = 'template1'): Promise<TestDatabase> {
  const socketFolder = testSocketFolder()
  const name = `test_${randomBytes(6).toString('hex')}`
  // Copying files takes half as long as writing all of them to the log too, which is the default.
  await asSuperuser(socketFolder, 'postgres', (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  )
  return {
    name,
    url: socketUrl(socketFolder, name, superuser),
    async queryAs<Row extends object>(role: string, sql: string) {
      const client = new pg.Client({ connectionString: socketUrl(socketFolder, name, role) })
      await client.connect()
      try {
        return (await client.query<Row>(sql)).rows
      } finally {
        await client.end()
      }
    },
    async drop() {
      await asSuperuser(socketFolder, 'postgres', (client) =>
        client.query(`drop database ${name} with (force)`),
      )
    },
  }
}

/** The log of tests; LOG_LEVEL=debug shows it. */
export function openTestLog(): Logger {
  return openLog({ name: 'test', level: (process.env['LOG_LEVEL'] ?? 'silent') as LogLevel })
}

/** The databases of a process without a bus: nothing can be announced. */
export interface TestDatabases {
  readonly databaseUrl: string
  readonly log: Logger
  openDatabase(options: DatabaseOptions): Promise<Database>
  openExclusive(options: ExclusiveOptions): Promise<ExclusiveDatabase>
  /** Closes what was opened, as a process that ends does, and starts again on the same database. */
  restart(): Promise<TestDatabases>
  /** Closes and drops the database. */
  stop(): Promise<void>
}

export async function openTestDatabases(): Promise<TestDatabases> {
  return openOn(await createTestDatabase())
}

const outbox = { write: () => Promise.reject(new Error('there is no bus')) }

function openOn(database: TestDatabase): TestDatabases {
  const log = openTestLog()
  const databases = serviceDatabases({
    socketFolder: testSocketFolder(),
    database: database.name,
    log,
  })
  return {
    databaseUrl: database.url,
    log,
    openDatabase: (options) => databases.openDatabase(options, outbox),
    openExclusive: (options) => databases.openExclusive(options, outbox),
    async restart() {
      await databases.close()
      return openOn(database)
    },
    async stop() {
      await databases.close()
      await database.drop()
    },
  }
}
