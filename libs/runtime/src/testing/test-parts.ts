/** The parts of an embedded process for one test: a database of its own on the PostgreSQL of the run. */
import { randomBytes } from 'node:crypto'
import { openParts, type EmbeddedParts } from '../embedded-parts.ts'
import { openLog, type LogLevel } from '../log.ts'
import { superuser } from '../postgres/hub-lock.ts'
import { asSuperuser } from '../postgres/provision.ts'
import { socketUrl } from '../postgres/service-databases.ts'
import { testSocketFolder } from './test-server.ts'

export interface TestParts extends EmbeddedParts {
  /** The whole database as its superuser, to look at from outside. */
  readonly databaseUrl: string
  /**
   * The crash in crash tests: every connection is cut, everything in memory is forgotten, and new
   * parts are opened on the same database. The old parts are dead and need no stop.
   */
  restart(): Promise<TestParts>
  /** Stops and drops the database. */
  stop(): Promise<void>
}

/** LOG_LEVEL=debug shows what the parts have to say. */
const log = openLog({ name: 'test', level: (process.env['LOG_LEVEL'] ?? 'silent') as LogLevel })

export async function openTestParts(): Promise<TestParts> {
  const database = `test_${randomBytes(6).toString('hex')}`
  // Copying files takes half as long as writing all of them to the log too, which is the default.
  await asSuperuser(testSocketFolder(), 'postgres', (client) =>
    client.query(`create database ${database} strategy file_copy`),
  )
  return openOn(database)
}

async function openOn(database: string): Promise<TestParts> {
  const socketFolder = testSocketFolder()
  const parts = await openParts({
    socketFolder,
    database,
    grpcSocket: `${database}-${randomBytes(2).toString('hex')}.sock`,
    log,
    metricsOfProcess: false,
    retention_h: 24,
  })
  return {
    ...parts,
    databaseUrl: socketUrl(socketFolder, database, superuser),
    async restart() {
      await parts.crash()
      return openOn(database)
    },
    async stop() {
      await parts.stop()
      await asSuperuser(socketFolder, 'postgres', (client) =>
        client.query(`drop database ${database} with (force)`),
      )
    },
  }
}
