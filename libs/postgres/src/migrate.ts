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
import { grantToServingRole } from './roles/serving-role.ts'

export interface MigrateOptions extends ConnectionOptions {
  /** The role that uses the tables, where it is not the one that migrates them. */
  readonly servingRole?: string | undefined
}

/** What a schema is made of: folders of NNNN-name.sql, forward only. */
export interface MigrationFolders {
  /** Of the service. */
  readonly migrations: URL
  /**
   * Of packages that have tables of their own in the schema of the service, by the name of the package. They
   * come before those of the service, which may refer to their tables; never the other way round.
   */
  readonly hosted?: Readonly<Record<string, URL>> | undefined
}

interface AppliedMigration {
  /** NNNN-name.sql; of a hosted package after its name: ledger/NNNN-name.sql. */
  readonly name: string
  readonly sha256: Buffer
}

interface Migration extends AppliedMigration {
  readonly sql: string
}

const fileName = /^\d{4}-[a-z0-9-]+\.sql$/

/** The migrations that this process has brought a schema to, by database, schema and folders. */
const brought = new Map<string, readonly Migration[]>()

/**
 * Applies the migrations up to the last file of each folder. After that, each further call of this process
 * only requires that they are still applied: a newer release may have migrated meanwhile.
 */
export async function migrate(options: MigrateOptions, folders: MigrationFolders): Promise<void> {
  const own = ['', folders.migrations] as const
  const inOrder = [...Object.entries(folders.hosted ?? {}), own]
  const target = [options.url, options.schema, ...inOrder.map(([, { href }]) => href)].join(' ')
  const before = brought.get(target)
  if (before !== undefined && (await areThere(options, before))) return
  const migrations = (
    await Promise.all(inOrder.map(([name, folder]) => readMigrations(name, folder)))
  ).flat()
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
    const applied = await readApplied(connection)
    return migrations.every(({ name, sha256 }) => applied.get(name)?.equals(sha256) === true)
  })
}

async function bring(
  client: OwnConnection,
  { schema, servingRole }: MigrateOptions,
  migrations: readonly Migration[],
): Promise<void> {
  const isOwner = await mayCreate(client, schema)
  if (isOwner) await createTable(client, schema)
  const isThere = await hasTable(client, schema)
  const applied = isThere ? await readApplied(client) : new Map<string, Buffer>()
  const difference = differenceOf(schema, migrations, applied)
  if (difference !== undefined) throw new StartError(difference)
  const [missing, ...more] = migrations.filter(({ name }) => !applied.has(name))
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

/** The hash of each by its name, in the order of the names. */
async function readApplied(client: OwnConnection): Promise<ReadonlyMap<string, Buffer>> {
  const { rows } = await client.query<AppliedMigration>(
    'select name, sha256 from migrations order by name',
  )
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]))
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
       name text collate "C" primary key,
       sha256 bytea not null,
       applied_at timestamptz(3) not null default now()
     )`,
  )
}

/** Why the start must stop: an applied file is missing or changed, or a new one has a lower number. */
function differenceOf(
  schema: string,
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, Buffer>,
): string | undefined {
  const files = new Map(migrations.map(({ name, sha256 }) => [name, sha256]))
  const last = new Map([...applied.keys()].map((name) => [packageOf(name), name]))
  for (const [name, sha256] of applied) {
    const file = files.get(name)
    if (file === undefined) {
      return `The migration ${name} was applied to the schema ${schema}, but its file is missing.`
    }
    if (!file.equals(sha256)) {
      return `The migration ${name} was changed after it was applied to the schema ${schema}.`
    }
  }
  for (const name of files.keys()) {
    const before = last.get(packageOf(name))
    if (!applied.has(name) && before !== undefined && name < before) {
      return `The migration ${name} comes before ${before}, which was applied to the schema ${schema} already.`
    }
  }
  return undefined
}

/** '' of a migration of the service itself. */
function packageOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1)
}

async function apply(client: OwnConnection, schema: string, migration: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(migration.sql)
    await client.query('insert into migrations (name, sha256) values ($1, $2)', [
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

async function readMigrations(packageName: string, folder: URL): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  for (const [position, name] of names.entries()) {
    if (!fileName.test(name)) {
      throw new StartError(`The migration ${name} must be called NNNN-name.sql.`)
    }
    if (names[position + 1]?.slice(0, 4) === name.slice(0, 4)) {
      throw new StartError(`The migration ${name} shares its number with another one.`)
    }
  }
  const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`)
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(new URL(name, base))
      return {
        name: packageName === '' ? name : `${packageName}/${name}`,
        sha256: createHash('sha256').update(content).digest(),
        sql: content.toString(),
      }
    }),
  )
}
