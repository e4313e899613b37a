/**
 * A service's own database: its schema is migrated before the first statement, and it never holds
 * more connections than it was given.
 */
import { type Logger, isOutage } from '@causeway/process'
import pg from 'pg'
import { connectionConfig, run, type ConnectionOptions } from './connection.ts'
import type { Database, Outbox } from './database.ts'
import { openLiveness } from './liveness.ts'
import { migrate, type MigrateOptions, type MigrationFolders } from './migrate.ts'
import { roleIn } from './roles/serving-role.ts'
import { cut, watchOver } from './round-trip.ts'
import { connecting, isConflict } from './failure.ts'
import { transact, type Lend } from './transaction.ts'

export interface DatabaseOptions extends MigrationFolders {
  /** '' means the embedded one. */
  readonly url: string
  /** The service's folder in snake_case; tables are named unqualified. */
  readonly schema: string
  readonly connections_max: number
  /** Names the role that owns the schema and migrates it; omitted: the role of `url` does. */
  readonly migrationUrl?: string | undefined
  /** As in `ConnectionOptions`. */
  readonly stream?: ConnectionOptions['stream']
}

/**
 * A server that is gone is noticed within 5 s, without a limit on statements of one that works.
 */
const patience = { silent_ms: 2_000, answer_ms: 3_000 }

/** What a database needs from its process. */
export interface DatabaseParts {
  readonly outbox: Outbox
  readonly log: Logger
}

export async function openDatabase(
  options: DatabaseOptions,
  { outbox, log }: DatabaseParts,
): Promise<Database> {
  const connection = { ...options, applicationName: options.schema }
  await migrate(migrating(connection), options)
  return openPool({ ...connection, outbox, log })
}

/** Who migrates, and for whom. */
export function migrating<
  Options extends ConnectionOptions & Pick<DatabaseOptions, 'migrationUrl'>,
>(options: Options): MigrateOptions {
  const { url, migrationUrl } = options
  if (migrationUrl === undefined) return options
  return { ...options, url: migrationUrl, servingRole: roleIn('the database URL', url) }
}

/** Connections to an existing schema. */
export function openPool(
  options: ConnectionOptions & DatabaseParts & Pick<DatabaseOptions, 'connections_max'>,
): Database {
  const { schema, outbox, log } = options
  const config = connectionConfig(options)
  const pool = new pg.Pool({ ...config, max: options.connections_max, idleTimeoutMillis: 0 })
  const watchman = openLiveness({ config, ...patience })
  pool.on('connect', (client) => {
    watchOver(client, watchman)
    client.on('error', () => {
      // The query in progress rejects with the same error; an idle connection is reported below.
    })
  })
  let isClosing = false
  pool.on('error', (error) => {
    // The pool ends before its connections do, and the server may be stopped in between.
    if (!isClosing) log.warn({ schema, err: error.message }, 'an idle connection was closed')
  })
  const lend = lendFrom(pool)
  return {
    query: (statement, values) => lend(({ client }) => run(client, statement, values)),
    transaction: (work, transactionOptions) => transact(lend, outbox, work, transactionOptions),
    close() {
      isClosing = true
      return pool.end()
    },
  }
}

/** A connection that met an outage is not used again. */
function lendFrom(pool: pg.Pool): Lend {
  return async (work) => {
    const client = await connecting(() => pool.connect())
    let discarded = false
    try {
      return await work({
        client,
        discard: () => {
          discarded = true
          cut(client)
        },
      })
    } catch (error) {
      discarded ||= isOutage(error) && !isConflict(error)
      throw error
    } finally {
      client.release(discarded)
    }
  }
}
