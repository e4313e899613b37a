/**
 * The roles that an administrator creates for services in separate processes: for each one that serves and,
 * where a second URL names it, one that owns the schema and migrates it. They have rights on that schema
 * alone. Another run sets the passwords of the URLs, and hands a schema over whose owner is another one.
 */
import { StartError } from '@causeway/process'
import pg from 'pg'
import type { Client } from 'pg'
import { grantToServingRole, handOver } from './serving-role.ts'

export interface ServiceRole {
  /** The service's folder in snake_case. */
  readonly schema: string
  /** As the service will use it: role, password and database are taken from it. */
  readonly url: string
  /** The same of the role that migrates; omitted: the service migrates. */
  readonly migrationUrl?: string | undefined
}

const schemaName = /^[a-z][a-z0-9_]*$/
const roleName = /^[a-z][a-z0-9_-]*$/
/** Roles belong to the server, so processes that create some take turns. */
const rolesLock = `hashtextextended('causeway roles', 0)`

/**
 * Throws StartError for an invalid URL. A missing database is created.
 * @param administratorUrl a role that may create databases, roles and schemas; it need not own its
 * database
 */
export async function provisionRole(administratorUrl: string, service: ServiceRole): Promise<void> {
  const { schema } = service
  if (!schemaName.test(schema)) throw new StartError(`'${schema}' is not a schema name.`)
  const serving = partsOf(`${schema.toUpperCase()}_DATABASE_URL`, service.url)
  const owning = ownerOf(service) ?? serving
  const { database } = serving
  if (owning.database !== database) {
    throw new StartError(`The URLs of ${schema} name two databases.`)
  }
  const isApart = owning.role !== serving.role
  await asAdministrator(administratorUrl, undefined, (client) => makeDatabase(client, database))
  await asAdministrator(administratorUrl, database, async (client) => {
    const [owner, target] = [owning.role, database].map((name) => client.escapeIdentifier(name))
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${rolesLock})`)
    for (const login of isApart ? [serving, owning] : [serving]) await makeLogin(client, login)
    // Both change what is in the schema.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `migrations of ${schema}`,
    ])
    await client.query(`create schema if not exists ${schema} authorization ${owner}`)
    await client.query(`alter schema ${schema} owner to ${owner}`)
    await client.query(`revoke all on database ${target} from public`)
    await client.query('revoke all on schema public from public')
    for (const { role } of [serving, owning]) {
      await client.query(`grant connect on database ${target} to ${client.escapeIdentifier(role)}`)
    }
    await handOver(client, schema, owning.role)
    if (isApart) await grantToServingRole(client, schema, serving.role)
    await client.query('commit')
  })
}

interface Login {
  readonly role: string
  readonly password: string
  readonly database: string
}

async function makeLogin(client: Client, { role, password }: Login): Promise<void> {
  const name = client.escapeIdentifier(role)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  const verb = rowCount === 0 ? 'create' : 'alter'
  const secret = password === '' ? '' : ` password ${client.escapeLiteral(password)}`
  await client.query(`${verb} role ${name} login${secret}`)
  await mayGiveAway(client, name)
}

function ownerOf({ schema, migrationUrl }: ServiceRole): Login | undefined {
  if (migrationUrl === undefined) return undefined
  return partsOf(`${schema.toUpperCase()}_MIGRATION_DATABASE_URL`, migrationUrl)
}

function partsOf(name: string, url: string): Login {
  if (!URL.canParse(url)) throw new StartError(`${name} is not a URL.`)
  const { username, password, pathname } = new URL(url)
  const role = decodeURIComponent(username)
  const database = decodeURIComponent(pathname.slice(1))
  if (!roleName.test(role)) throw new StartError(`${name} names no role in lower case.`)
  if (database === '') throw new StartError(`${name} names no database.`)
  return { role, password: decodeURIComponent(password), database }
}

async function makeDatabase(client: Client, database: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
  if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`)
}

/** A role without superuser can transfer only objects of a role that it is a member of. */
async function mayGiveAway(client: Client, owner: string): Promise<void> {
  const { rows } = await client.query<{ rolsuper: boolean }>(
    'select rolsuper from pg_roles where rolname = current_user',
  )
  if (rows[0]?.rolsuper !== true) await client.query(`grant ${owner} to current_user`)
}

async function asAdministrator(
  administratorUrl: string,
  database: string | undefined,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const url = new URL(administratorUrl)
  if (database !== undefined) url.pathname = `/${encodeURIComponent(database)}`
  const client = new pg.Client({
    connectionString: url.href,
    application_name: 'causeway provisioning',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {
    // The query in progress rejects with the same error.
  })
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}
