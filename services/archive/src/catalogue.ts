/**
 * Which tables have months to archive, and the state of a month's partition: from PostgreSQL's own
 * catalogue, which always matches the tables.
 *
 * A service marks a table that is partitioned by month with a comment that begins with `archived by
 * month`. A function `archive_refusal(month date) returns text` of its schema returns why a month must
 * stay; null: it can be archived.
 */
import type { Client } from 'pg'
import { boundsOf, partitionName, type Month } from './month.ts'

export interface MonthTable {
  readonly schema: string
  readonly table: string
  readonly owner: string
}

/**
 * ATTACHED: services read and write it; DETACHING: a detach was interrupted; DETACHED: it is a
 * table by itself, which no service reads; ABSENT: it is in an archive, or never existed.
 */
export type PartitionState = 'ATTACHED' | 'DETACHING' | 'DETACHED' | 'ABSENT'

/** The tables of all schemas that the role may change. */
export async function monthTables(client: Client): Promise<readonly MonthTable[]> {
  const { rows } = await client.query<MonthTable>(
    `select n.nspname as schema, p.relname as table, pg_get_userbyid(p.relowner) as owner
       from pg_class p join pg_namespace n on n.oid = p.relnamespace
      where p.relkind = 'p' and obj_description(p.oid, 'pg_class') like 'archived by month%'
        and pg_has_role(p.relowner, 'usage')
      order by 1, 2`,
  )
  return rows
}

export async function partitionState(
  client: Client,
  { schema, table }: MonthTable,
  month: Month,
): Promise<PartitionState> {
  const { rows } = await client.query<{ state: PartitionState }>(
    `select case when i.inhrelid is null then 'DETACHED' when i.inhdetachpending then 'DETACHING'
            else 'ATTACHED' end as state
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       left join pg_inherits i on i.inhrelid = c.oid
      where n.nspname = $1 and c.relname = $2 and c.relkind = 'r'`,
    [schema, partitionName(table, month)],
  )
  return rows[0]?.state ?? 'ABSENT'
}

/** Why the month must stay, for each schema that refuses; empty: it can be archived. */
export async function refusals(
  client: Client,
  tables: readonly MonthTable[],
  month: Month,
): Promise<readonly string[]> {
  const schemas = [...new Set(tables.map(({ schema }) => schema))]
  const { rows } = await client.query<{ schema: string }>(
    `select n.nspname as schema from pg_proc f join pg_namespace n on n.oid = f.pronamespace
      where f.proname = 'archive_refusal' and n.nspname = any ($1) order by 1`,
    [schemas],
  )
  const found: string[] = []
  for (const { schema } of rows) {
    const name = client.escapeIdentifier(schema)
    const answer = await client.query<{ why: string | null }>(
      `select ${name}.archive_refusal($1::date) as why`,
      [boundsOf(month)[0]],
    )
    const why = answer.rows[0]?.why
    if (why !== null && why !== undefined) found.push(`${schema}: ${why}`)
  }
  return found
}

/** The qualified name of the partitioned table or of one partition. */
export async function columnsOf(
  client: Client,
  schema: string,
  name: string,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select a.attname as column
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped
      order by a.attnum`,
    [schema, name],
  )
  return rows.map(({ column }) => column)
}

export async function clockOf(client: Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  return rows[0]?.now ?? new Date()
}

/**
 * Runs every statement that changes a table as its owner, so that a new table has the same owner.
 */
export async function asOwner<T>(
  client: Client,
  { owner }: MonthTable,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(`set role ${client.escapeIdentifier(owner)}`)
  try {
    return await work()
  } finally {
    await client.query('reset role')
  }
}

export function qualified(client: Client, schema: string, name: string): string {
  return `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`
}
