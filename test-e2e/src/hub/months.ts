/**
 * Ages the data of a hub in one process by months, archives and restores it as an operator does,
 * and compares it row by row.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { postmasterOf } from './postgres.ts'

const past = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 5))
const next = new Date(Date.UTC(past.getUTCFullYear(), past.getUTCMonth() + 1))

/** Five months ago, YYYY-MM. */
export const month = past.toISOString().slice(0, 7)

/** Their rows name the partition of the messages that FSPs sent. */
const owners = [
  'transfers.transfers',
  'transfers.bulk_transfers',
  'quoting.quotes',
  'quoting.bulk_quotes',
]

/** Their times name the partitions of their steps. */
const dated = [
  ['auth_service.consents', ['registered_at', 'issued_at', 'revoked_at', 'erased_at']],
  ['auth_service.consent_parties', ['observed_at']],
  ['auth_service.verifications', ['decided_at']],
  ['auth_service.third_party_transactions', ['requested_at', 'ended_at']],
] as const

/** Connects to the database of a running hub as the superuser. */
async function connected<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { socketFolder: host } = postmasterOf(dataDir)
  const client = new pg.Client({ host, user: 'postgres', database: 'causeway' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export function sql(dataDir: string, text: string): Promise<unknown> {
  return connected(dataDir, (client) => client.query(text))
}

interface Table {
  readonly schema: string
  readonly name: string
}

async function tablesIn(client: pg.Client): Promise<readonly Table[]> {
  const { rows } = await client.query<Table>(
    `select relnamespace::regnamespace::text as schema, relname as name from pg_class
      where relkind = 'p' and obj_description(oid, 'pg_class') like 'archived by month%'
      order by 1, 2`,
  )
  return rows
}

/** Dates everything that the hub has stored to that month. */
export function age(dataDir: string): Promise<void> {
  return connected(dataDir, async (client) => {
    for (const { schema, name } of await tablesIn(client)) {
      const partition = `${schema}.${name}_${month.replace('-', '_')}`
      await client.query(`set role ${schema}`)
      await client.query(
        `create table ${partition} (like ${schema}.${name} including all excluding identity)`,
      )
      await client.query(
        `alter table ${schema}.${name} attach partition ${partition}
           for values from ('${month}-01') to ('${next.toISOString().slice(0, 10)}')`,
      )
      await client.query(`update ${schema}.${name} set month = '${month}-01'`)
      await client.query('reset role')
    }
    for (const owner of owners) await client.query(`update ${owner} set month = '${month}-01'`)
    for (const [table, columns] of dated) {
      const values = columns.map((column) => `${column} = ${column} - interval '5 months'`)
      await client.query(`update ${table} set ${values.join(', ')}`)
    }
  })
}

/**
 * Of each table that is archived by month: the number of rows of that month, and a hash over them.
 */
export function contentsOf(dataDir: string): Promise<Readonly<Record<string, string>>> {
  return connected(dataDir, async (client) => {
    const contents: Record<string, string> = {}
    for (const { schema, name } of await tablesIn(client)) {
      const { rows } = await client.query<{ n: string; hash: string | null }>(
        `select count(*) as n, md5(string_agg(md5(t::text), '' order by md5(t::text))) as hash
           from ${schema}.${name} t where month = '${month}-01'`,
      )
      contents[`${schema}.${name}`] = `${rows[0]?.n} rows ${rows[0]?.hash ?? ''}`.trimEnd()
    }
    return contents
  })
}

const run = promisify(execFile)

/** Resolves with the output of the command; rejects with its error message when it fails. */
export async function command(
  dataDir: string,
  name: 'archive' | 'restore',
  ...flags: readonly string[]
): Promise<string> {
  const program = new URL(`../../../services/archive/dist/${name}-main.js`, import.meta.url)
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir }
  const { stdout } = await run(process.execPath, [fileURLToPath(program), ...flags], { env })
  return stdout
}
