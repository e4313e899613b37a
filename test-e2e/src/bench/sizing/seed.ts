/**
 * Fills a hub's tables as years of payments would: each row is a copy of a row that the hub itself
 * wrote for a payment, with a new id and an earlier time. Rows that are retained without limit
 * exist for every payment; messages and deliveries only for the newest ones, as where months are
 * archived. Balances are not changed, so such a hub must not be verified.
 */
import type { Client } from 'pg'

export interface Seeding {
  /** The number of payments to add. */
  readonly payments: number
  /** The newest of them, which have their messages and deliveries. */
  readonly withPayloads: number
  readonly onProgress: (done: number) => void
}

interface Copied {
  readonly table: string
  /** The column with the payment's id: it selects its rows, and receives the new id. */
  readonly id: string
  readonly of: 'transfer' | 'quote'
  /** Moved back in time. */
  readonly times: readonly string[]
  /** The type of the column notification_id, which is derived from the old value and the new id. */
  readonly notification?: 'text' | 'uuid'
}

const forever: readonly Copied[] = [
  {
    table: 'transfers.transfers',
    id: 'id',
    of: 'transfer',
    times: ['received_at', 'expires_at', 'completed_at'],
  },
  {
    table: 'participant_lifecycle.entries',
    id: 'id',
    of: 'transfer',
    times: ['created_at', 'expires_at', 'completed_at'],
  },
  { table: 'participant_lifecycle.journal', id: 'entry_id', of: 'transfer', times: ['at'] },
  { table: 'settlements.lines', id: 'transfer_id', of: 'transfer', times: ['finalised_at'] },
  {
    table: 'quoting.quotes',
    id: 'id',
    of: 'quote',
    times: ['created_at', 'expires_at', 'valid_until', 'completed_at'],
  },
]

const ofReports = { times: ['reported_at'], notification: 'text' } as const
const ofNotifications = {
  table: 'notifications.deliveries',
  id: 'entity_id',
  times: ['reported_at'],
  notification: 'uuid',
} as const
const payloads: readonly Copied[] = [
  { table: 'transfers.messages', id: 'transfer_id', of: 'transfer', times: ['received_at'] },
  { table: 'quoting.messages', id: 'quote_id', of: 'quote', times: [] },
  { table: 'transfers.deliveries', id: 'transfer_id', of: 'transfer', ...ofReports },
  { table: 'quoting.deliveries', id: 'quote_id', of: 'quote', ...ofReports },
  { ...ofNotifications, of: 'transfer' },
  { ...ofNotifications, of: 'quote' },
]
const copies = [...forever, ...payloads]

const models = 64
const rows_at_once = 250_000
const span_days = 30

/** For an idle hub that has made some payments. */
export async function seed(client: Client, { payments, withPayloads, onProgress }: Seeding) {
  await client.query(`set synchronous_commit = off; set work_mem = '256MB'`)
  await makeModels(client)
  const first = Number(
    (await client.query<{ n: string }>('select count(*) as n from transfers.transfers')).rows[0]?.n,
  )
  const end = first + payments
  const inserts: (readonly [Copied, string])[] = []
  for (const copied of copies) inserts.push([copied, await insertOf(client, copied)])
  for (let from = first; from < end; from += rows_at_once) {
    const to = Math.min(end, from + rows_at_once)
    for (const [copied, text] of inserts) {
      const begin = payloads.includes(copied) ? Math.max(from, end - withPayloads) : from
      if (begin < to) await client.query(text, [begin, to - 1, end])
    }
    onProgress(to - first)
  }
  for (const table of new Set(copies.map(({ table: name }) => name))) {
    await client.query(`vacuum (analyze) ${table}`)
  }
  await client.query('checkpoint')
}

/** Payments that the hub has made, numbered. */
async function makeModels(client: Client): Promise<void> {
  await client.query(
    `create temp table model_transfer as
       select row_number() over (order by id) - 1 as j, id
       from (select id from transfers.transfers where state = 'COMMITTED' order by id limit ${models}) t`,
  )
  await client.query(
    `create temp table model_quote as
       select row_number() over (order by id) - 1 as j, id
       from (select id from quoting.quotes where state = 'ACCEPTED' order by id limit ${models}) q`,
  )
  const { rows } = await client.query<{ n: string }>('select count(*) as n from model_transfer')
  if (Number(rows[0]?.n) < models) throw new Error('the hub has made too few payments to copy')
}

/** In the order of the ids, which are random: so that indexes are filled page by page. */
async function insertOf(client: Client, copied: Copied): Promise<string> {
  const { table, id, of, times, notification } = copied
  const [schema = '', name = ''] = table.split('.')
  const { rows } = await client.query<{ column: string }>(
    `select column_name as column from information_schema.columns
      where table_schema = $1 and table_name = $2 order by ordinal_position`,
    [schema, name],
  )
  const columns = rows.map(({ column }) => column)
  const values = columns.map((column) => {
    if (column === 'notification_id' && notification !== undefined) {
      return `md5(i.n || t.${column}::text)::uuid::${notification}`
    }
    if (column === id) return 'i.id'
    return times.includes(column) ? `t.${column} - i.ago` : `t.${column}`
  })
  return `
    insert into ${table} (${columns.join(', ')})
    select ${values.join(', ')}
    from (
      select n, md5('${of} ' || n)::uuid::text as id, n % ${models} as j,
        interval '${span_days} days' * (($3::bigint - n)::float8 / $3::bigint) as ago
      from generate_series($1::bigint, $2::bigint) n
    ) i
    join (select m.j, x.* from model_${of} m join ${table} x on x.${id} = m.id) t using (j)
    order by i.id`
}
