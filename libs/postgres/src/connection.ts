/**
 * Connections of the process: each has the name of its service, only the schema of its service in its
 * search path, and a time limit.
 */
import type { Duplex } from 'node:stream'
import pg from 'pg'
import type { ClientBase, ClientConfig, QueryResult, QueryResultRow } from 'pg'
import type { Statement, Value } from './database.ts'
import { connecting, failureOf } from './failure.ts'
import { roundTrip } from './round-trip.ts'

/** Longest time of a statement of a service; a longer one is cancelled and repeated as an outage. */
const statement_timeout_ms = 60_000
const connect_timeout_ms = 10_000
/** After this time the system probes an idle peer every second, and closes the connection 10 s later. */
const keepAlive_ms = 2_000

/**
 * Statements are planned once and find their rows by key. Left to itself PostgreSQL plans some of
 * them at every call (a third of their cost), and a plan made while a table was small reads all of
 * it long after it has grown (measured: 27 ms instead of 0.5).
 */
const planning = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off'

export interface ConnectionOptions {
  readonly url: string
  readonly schema: string
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  /** Makes the stream to the server; omitted: a socket to the host of the URL. */
  readonly stream?: (() => Duplex) | undefined
}

export function connectionConfig(options: ConnectionOptions): ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    options: `-c search_path=${options.schema} ${planning}`,
    connectionTimeoutMillis: connect_timeout_ms,
    statement_timeout: statement_timeout_ms,
    idle_in_transaction_session_timeout: statement_timeout_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAlive_ms,
    ...(options.stream === undefined ? {} : { stream: options.stream }),
  }
}

/** A connection that is used once, for statements that no service prepares. */
export interface OwnConnection {
  query<Row extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>
}

/** Runs the work on a connection of its own and closes it. */
export async function onOwnConnection<T>(
  config: ClientConfig,
  work: (connection: OwnConnection) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config)
  client.on('error', () => {
    // The query in progress rejects with the same error.
  })
  try {
    await connecting(() => client.connect())
    return await work({
      async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) {
        try {
          return await client.query<Row>(text, [...values])
        } catch (error) {
          throw failureOf(error)
        }
      },
    })
  } finally {
    await client.end()
  }
}

/** Sends the statement under its name, so that it is parsed and planned once per connection. */
export async function run<Row>(
  client: ClientBase,
  statement: Statement,
  values: readonly Value[],
): Promise<readonly Row[]> {
  const [answer] = await roundTrip(client, [{ statement, values }])
  return (answer?.rows ?? []) as readonly Row[]
}
