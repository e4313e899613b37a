/**
 * The whole content of a hub's database as SQL: its roles and schemas, the migrations that created
 * the tables, the partitions that were added later, every row and the state of every sequence. The
 * packages that the hub runs on do not include pg_dump.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { descriptionOf, serviceNames } from '@causeway/services'
import pg from 'pg'

const bus = 'bus'

interface Table {
  readonly schema: string
  readonly name: string
  readonly columns: readonly string[]
}

/** Reads everything in one snapshot. */
export async function dumpDatabase(socketFolder: string): Promise<string> {
  const client = new pg.Client({ host: socketFolder, user: 'postgres', database: 'causeway' })
  await client.connect()
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    const schemas = await schemasOf(client)
    const parts = [
      ...schemas.map(schemaOf),
      ...(await partitionsOf(client)),
      'set session_replication_role = replica',
    ]
    for (const table of await tablesOf(client)) parts.push(...(await rowsOf(client, table)))
    parts.push(...(await sequencesOf(client)))
    return parts.map((part) => `${part};\n`).join('')
  } finally {
    await client.end()
  }
}

/** The bus first: the other roles receive a right on it. */
async function schemasOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select nspname as name from pg_namespace
     where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
     order by nspname <> '${bus}', nspname`,
  )
  return rows.map(({ name }) => name)
}

/** As the hub creates it at its first start. */
function schemaOf(schema: string): string {
  const rights =
    schema === bus
      ? []
      : [`grant usage on schema ${bus} to ${schema}`, `grant insert on ${bus}.log to ${schema}`]
  return [
    `create role ${schema} login`,
    `create schema ${schema} authorization ${schema}`,
    ...rights,
    `set role ${schema}`,
    `set search_path = ${schema}`,
    'create table migrations (name text collate "C" primary key, sha256 bytea not null, applied_at timestamptz(3) not null default now())',
    ...migrationsOf(schema),
    'reset role',
  ].join(';\n')
}

/** Of the packages that the service hosts first, then its own. */
function migrationsOf(schema: string): readonly string[] {
  return foldersOf(schema).flatMap((path) => {
    const folder = new URL(`../../../${path}/migrations/`, import.meta.url)
    return readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .toSorted((one, other) => one.localeCompare(other))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  })
}

function foldersOf(schema: string): readonly string[] {
  if (schema === bus) return ['libs/bus']
  const service = serviceNames.find((name) => name.replaceAll('-', '_') === schema)
  if (service === undefined) throw new Error(`no service has the schema ${schema}`)
  return [...(descriptionOf(service).hosts ?? []), `services/${service}`]
}

async function partitionsOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select format('set role %1$I; create table if not exists %1$I.%2$I partition of %3$s %4$s; reset role',
                   n.nspname, c.relname, i.inhparent::regclass, pg_get_expr(c.relpartbound, c.oid)) as text
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_inherits i on i.inhrelid = c.oid
     where c.relispartition and c.relkind in ('r', 'p')
     order by c.relkind = 'r', c.relname`,
  )
  return rows.map(({ text }) => text)
}

async function tablesOf(client: pg.Client): Promise<readonly Table[]> {
  const { rows } = await client.query<Table>(
    `select n.nspname as schema, c.relname as name,
            array_agg(quote_ident(a.attname) order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')
     group by 1, 2 order by 1, 2`,
  )
  return rows
}

async function rowsOf(client: pg.Client, table: Table): Promise<readonly string[]> {
  const name = `${table.schema}.${client.escapeIdentifier(table.name)}`
  const columns = table.columns.join(', ')
  const { rows } = await client.query<{ all: string | null }>(
    `select json_agg(to_json(t))::text as all from ${name} t`,
  )
  const all = rows[0]?.all ?? undefined
  const empty = `delete from ${name}`
  if (all === undefined) return [empty]
  return [
    empty,
    `insert into ${name} (${columns}) overriding system value
     select ${columns} from json_populate_recordset(null::${name}, ${client.escapeLiteral(all)})`,
  ]
}

async function sequencesOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select format('select setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value) as text
     from pg_sequences where last_value is not null order by 1`,
  )
  return rows.map(({ text }) => text)
}
