/**
 * Migrations run forward only, each in one transaction, and by one process at a time. The files of
 * applied migrations must exist unchanged: a schema that does not match its files stops the start. A
 * role that may not create tables migrates nothing: it requires that another one has.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { StartError } from '@causeway/process'
import {
  connectionConfig,
  onOwnConnection,
  type ConnectionOptions,
  type OwnConnection,
} from './connection.ts'
import { makePartitionFunction } from './partitions.ts'
import { grantToServingRole } from './serving-role.ts'

export interface MigrateOptions extends ConnectionOptions {
  /** The role that uses the tables, where it is not the one that migrates them. */
  readonly servingRole?: string | undefined
}

interface Migration {
  readonly number: number
  readonly name: string
  readonly sha256: Buffer
  readonly sql: string
}

interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly sha256: Buffer
}

const fileName = /^(\d{4})-[a-z0-9-]+\.sql$/

/** The migrations that this process has brought a schema to, by database, schema and folder. */
const brought = new Map<string, readonly Migration[]>()

/**
 * Applies the migrations up to the last file of the folder. After that, each further call of this process
 * only requires that they are still applied: a newer release may have migrated meanwhile.
 */
export async function migrate(options: MigrateOptions, folder: URL): Promise<void> {
  const target = `${options.url} ${options.schema} ${folder.href}`
  const before = brought.get(target)
  if (before !== undefined && (await areThere(options, before))) return
  const migrations = await readMigrations(folder)
  // A migration may rewrite a large table, and waits while another process migrates.
  const config = { ...connectionConfig(options), statement_timeout: 0 }
  await onOwnConnection(config, async (connection) => {
    await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [
      `migrations of ${options.schema}`,
    ])
    await bring(connection, options, migrations)
  })
  brought.set(target, migrations)
}

/** Checks without the lock: a newer release that migrates blocks no other process. */
function areThere(options: ConnectionOptions, migrations: readonly Migration[]): Promise<boolean> {
  return onOwnConnection(connectionConfig(options), async (connection) => {
    if (!(await hasTable(connection, options.schema))) return false
    const applied = new Map((await readApplied(connection)).map((each) => [each.number, each]))
    return migrations.every(({ number, name, sha256 }) => {
      const there = applied.get(number)
      return there !== undefined && there.name === name && there.sha256.equals(sha256)
    })
  })
}

async function bring(
  client: OwnConnection,
  { schema, servingRole }: MigrateOptions,
  migrations: readonly Migration[],
): Promise<void> {
  const isOwner = await mayCreate(client, schema)
  if (isOwner) await createTable(client, schema)
  const applied = (await hasTable(client, schema)) ? await readApplied(client) : []
  const difference = differenceOf(schema, migrations, applied)
  if (difference !== undefined) throw new StartError(difference)
  const [missing, ...more] = migrations.slice(applied.length)
  if (missing !== undefined && !isOwner) {
    throw new StartError(
      `The schema ${schema} lacks the migration ${missing.name}, which its role may not apply: run the program migrate of this release first.`,
    )
  }
  for (const migration of missing === undefined ? [] : [missing, ...more]) {
    await apply(client, schema, migration)
  }
  if (!isOwner) return
  await makePartitionFunction(client, schema)
  if (servingRole === undefined) return
  await client.query('begin')
  await grantToServingRole(client, schema, servingRole)
  await client.query('commit')
}

/** A schema that is missing is tried, so that the refusal is that of PostgreSQL. */
async function mayCreate(client: OwnConnection, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean | null }>(
    `select has_schema_privilege(to_regnamespace($1)::oid, 'CREATE') as may`,
    [schema],
  )
  return rows[0]?.may !== false
}

async function readApplied(client: OwnConnection): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, sha256 from migrations order by number',
  )
  return rows
}

async function hasTable(client: OwnConnection, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regclass($1 || '.migrations') is not null as is_there`,
    [schema],
  )
  return rows[0]?.is_there === true
}

async function createTable(client: OwnConnection, schema: string): Promise<void> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regnamespace($1) is not null as is_there`,
    [schema],
  )
  if (rows[0]?.is_there !== true) await client.query(`create schema ${schema}`)
  if (await hasTable(client, schema)) return
  await client.query(
    `create table migrations (
       number integer primary key,
       name text not null,
       sha256 bytea not null,
       applied_at timestamptz(3) not null default now()
     )`,
  )
}

/** Why the start must stop: an applied file is missing or changed, or a new one has a lower number. */
function differenceOf(
  schema: string,
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): string | undefined {
  for (const [position, old] of applied.entries()) {
    const file = migrations[position]
    if (file === undefined || file.number > old.number) {
      return `The migration ${old.name} was applied to the schema ${schema}, but its file is missing.`
    }
    if (file.number < old.number) {
      return `The migration ${file.name} comes before ${old.name}, which was applied to the schema ${schema} already.`
    }
    if (file.name !== old.name || !file.sha256.equals(old.sha256)) {
      return `The migration ${old.name} was changed after it was applied to the schema ${schema}.`
    }
  }
  return undefined
}

async function apply(client: OwnConnection, schema: string, migration: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(migration.sql)
    await client.query('insert into migrations (number, name, sha256) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.sha256,
    ])
    await client.query('commit')
  } catch (error) {
    throw new Error(`The migration ${migration.name} of the schema ${schema} failed`, {
      cause: error,
    })
  }
}

async function readMigrations(folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const migrations = await Promise.all(names.map((name) => readMigration(folder, name)))
  for (const [position, { name, number }] of migrations.entries()) {
    if (migrations[position + 1]?.number === number) {
      throw new StartError(`The migration ${name} shares its number with another one.`)
    }
  }
  return migrations
}

async function readMigration(folder: URL, name: string): Promise<Migration> {
  const number = fileName.exec(name)?.[1]
  if (number === undefined) {
    throw new StartError(`The migration ${name} must be called NNNN-name.sql.`)
  }
  const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`)
  const content = await readFile(new URL(name, base))
  return {
    number: Number(number),
    name,
    sha256: createHash('sha256').update(content).digest(),
    sql: content.toString(),
  }
}
