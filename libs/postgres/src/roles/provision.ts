/**
 * In one database each service has a role and a schema of its own name: it has rights on its own tables,
 * may insert into one table that all share, and has no other rights.
 */
import type { Client } from 'pg'
import { connecting } from '../failure.ts'
import { superuserClient } from '../hub-lock.ts'

const schemaName = /^[a-z][a-z0-9_]*$/
const application = 'causeway provisioning'
/** Others that prepare a schema of the same database wait; locks hold within a database. */
const schemasLock = `hashtextextended('causeway schemas', 0)`

/** Creates the database if it is missing. */
export function provisionDatabase(socketFolder: string, database: string): Promise<void> {
  return asSuperuser(socketFolder, 'postgres', async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      database,
    ])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`)
  })
}

/** The table into which every role may insert. */
export interface SharedTable {
  readonly schema: string
  readonly table: string
}

export interface SchemaOptions {
  readonly shared?: SharedTable | undefined
  /** The role that owns the schema; omitted: the one that serves, which has the name of the schema. */
  readonly owner?: string | undefined
}

/** Creates a service's missing roles and schema; the schema of the shared table is created first. */
export function provisionSchema(
  socketFolder: string,
  database: string,
  schema: string,
  { shared, owner = schema }: SchemaOptions = {},
): Promise<void> {
  if (![schema, owner].every((name) => schemaName.test(name)))
    throw new Error(`${schema} is not a schema name`)
  return asSuperuser(socketFolder, database, async (client) => {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${schemasLock})`)
    await client.query(makeRole(schema))
    if (owner !== schema) await client.query(makeRole(owner))
    await client.query(`create schema if not exists ${schema} authorization ${owner}`)
    if (shared !== undefined && schema !== shared.schema) {
      await client.query(`grant usage on schema ${shared.schema} to ${schema}`)
      await client.query(`grant insert on ${shared.schema}.${shared.table} to ${schema}`)
    }
    await client.query('commit')
  })
}

/** Roles belong to the server: another database may be getting the same one at this moment. */
function makeRole(name: string): string {
  return (
    `do $$ begin if not exists (select from pg_roles where rolname = '${name}') then ` +
    `create role ${name} login; end if; ` +
    'exception when duplicate_object or unique_violation then null; end $$'
  )
}

/** Runs the work on a connection of its own. */
export async function asSuperuser<T>(
  socketFolder: string,
  database: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = superuserClient(socketFolder, database, application)
  try {
    await connecting(() => client.connect())
    return await work(client)
  } finally {
    await client.end()
  }
}
