/**
 * One way to connect for the whole process: every connection names its service, sees its schema
 * alone, gives up after a bounded time, and hands out numbers that lose nothing.
 */
import pg from 'pg'
import type { ClientBase, ClientConfig, CustomTypesConfig } from 'pg'
import type { Queries, Statement, Value } from './database.ts'

/** No statement of a service works longer; a longer one is cut off and repeated as an outage. */
const statement_timeout_ms = 60_000
/** The server's own timeouts come first; this one is for a server that no longer answers at all. */
const answer_timeout_ms = 75_000
export const connect_timeout_ms = 10_000

const { builtins } = pg.types
/** The client would make local midnights of dates and doubles of numeric[] and int8[]. */
const asText: ReadonlySet<number> = new Set([
  builtins.INT8,
  builtins.NUMERIC,
  builtins.DATE,
  builtins.TIMESTAMP,
])
const arraysAsText: ReadonlySet<number> = new Set([1016, 1182, 1231])
const textArray = 1009

/** The client's own parsers, also for types that its list of names leaves out. */
const parsers = pg.types as { getTypeParser(oid: number, format?: 'text' | 'binary'): unknown }

const types: CustomTypesConfig = {
  getTypeParser: (oid, format): unknown => {
    if (asText.has(oid)) return String
    return parsers.getTypeParser(arraysAsText.has(oid) ? textArray : oid, format)
  },
}

export interface ConnectionOptions {
  readonly url: string
  readonly schema: string
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
}

export function connectionConfig(options: ConnectionOptions): ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    options: `-c search_path=${options.schema}`,
    connectionTimeoutMillis: connect_timeout_ms,
    statement_timeout: statement_timeout_ms,
    idle_in_transaction_session_timeout: statement_timeout_ms,
    query_timeout: answer_timeout_ms,
    keepAlive: true,
    types,
  }
}

/** Sends the statement under its name, so that it is parsed and planned once per connection. */
export async function run<Row>(
  client: ClientBase,
  { name, text }: Statement,
  values: readonly Value[],
): Promise<readonly Row[]> {
  const { rows } = await client.query({ name, text, values: values as Value[] })
  return rows as Row[]
}

/** A connection as Queries, for work that keeps it to itself. */
export function queriesOver(client: ClientBase): Queries {
  return { query: (statement, values) => run(client, statement, values) }
}
