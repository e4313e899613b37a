/** The parts of an embedded process for one test: a database of its own on the PostgreSQL of the run. */
import { randomBytes } from 'node:crypto'
import {
  createTestDatabase,
  openTestLog,
  type TestDatabase,
  testSocketFolder,
} from '@causeway/postgres/testing'
import { openParts, type EmbeddedParts, type PartsOptions } from '../embedded-parts.ts'

export interface TestParts extends EmbeddedParts {
  /** The whole database as its superuser, to inspect from outside. */
  readonly databaseUrl: string
  /** Runs a statement with the rights of that role alone. */
  queryAs<Row extends object>(role: string, sql: string): Promise<readonly Row[]>
  /**
   * The crash in crash tests: every connection is closed, all state in memory is dropped, and new parts are
   * opened on the same database. The old parts need no stop.
   */
  restart(): Promise<TestParts>
  /** Stops and leaves the database. */
  close(): Promise<void>
  /** Stops and drops the database. */
  stop(): Promise<void>
}

/** The variable that names the database to copy; without it tests start on an empty one. */
export const templateVariable = 'CAUSEWAY_TEST_TEMPLATE'

const log = openTestLog()

export type TestPartsOptions = Pick<PartsOptions, 'ownersApart'>

export async function openTestParts(options: TestPartsOptions = {}): Promise<TestParts> {
  // Where owners are apart, the schemas have other owners than those of the template.
  const template = options.ownersApart === true ? undefined : process.env[templateVariable]
  return openOn(await createTestDatabase(template), options)
}

export async function openOn(
  database: TestDatabase,
  options: TestPartsOptions,
): Promise<TestParts> {
  const parts = await openParts({
    socketFolder: testSocketFolder(),
    database: database.name,
    grpcSocket: `${database.name}-${randomBytes(2).toString('hex')}.sock`,
    log,
    metricsOfProcess: false,
    retention_h: 24,
    ...options,
  })
  return {
    ...parts,
    databaseUrl: database.url,
    queryAs: (role, sql) => database.queryAs(role, sql),
    async restart() {
      await parts.crash()
      return openOn(database, options)
    },
    close: () => parts.stop(),
    async stop() {
      await parts.stop()
      await database.drop()
    },
  }
}
