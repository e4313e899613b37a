/** The SQL of the key for payment requests: one row, made by the process that starts first. */
import { statement, type Database } from '@causeway/postgres'

export interface StoredRequestKey {
  /** Encrypted. */
  readonly key: Buffer
  readonly required_from: Date
}

/**
 * In a database that an earlier release has used, processes of that release may still run for a while:
 * they authenticate nothing.
 */
const insert = statement(`
  insert into request_key (key, required_from)
  select $1::bytea, case when min(applied_at) < now() - interval '1 hour'
    then now() + interval '1 day' else now() end
  from migrations
  on conflict (is_only) do nothing`)

export async function insertRequestKey(db: Database, key: Buffer): Promise<void> {
  await db.query(insert, [key])
}

const select = statement(`select key, required_from from request_key`)

export async function readRequestKey(db: Database): Promise<StoredRequestKey | undefined> {
  const [row] = await db.query<StoredRequestKey>(select, [])
  return row
}

const update = statement(`update request_key set key = $2::bytea where key = $1::bytea`)

export async function saveRequestKey(db: Database, before: Buffer, after: Buffer): Promise<void> {
  await db.query(update, [before, after])
}
