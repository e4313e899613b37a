/** The SQL of the keys for payment requests: one row, made by the process that starts first. */
import { statement, type Database } from '@causeway/postgres'

export interface StoredRequestKey {
  /** Encrypted. */
  readonly key: Buffer
  /** Encrypted: the one before. */
  readonly previous_key: Buffer | null
}

const insert = statement(`
  insert into request_key (key) values ($1::bytea) on conflict (is_only) do nothing`)

export async function insertRequestKey(db: Database, key: Buffer): Promise<void> {
  await db.query(insert, [key])
}

const select = statement(`select key, previous_key from request_key`)

export async function readRequestKey(db: Database): Promise<StoredRequestKey | undefined> {
  const [row] = await db.query<StoredRequestKey>(select, [])
  return row
}

/** Of replicas that rotate at the same time one replaces the key: it is too young for the others then. */
const rotate = statement(`
  update request_key set previous_key = key, key = $1::bytea, made_at = now()
  where made_at < now() - make_interval(secs => $2::float8)
  returning 1`)

/** Whether the key was old enough to be replaced. */
export async function rotateRequestKey(
  db: Database,
  key: Buffer,
  life_ms: number,
): Promise<boolean> {
  return (await db.query(rotate, [key, life_ms / 1_000])).length > 0
}

/** Replaces what is stored, encrypted with another key, unless it was rotated meanwhile. */
const update = statement(`
  update request_key set key = $2::bytea, previous_key = $3::bytea where key = $1::bytea`)

export async function saveRequestKey(
  db: Database,
  before: Buffer,
  { key, previous_key }: Pick<StoredRequestKey, 'key' | 'previous_key'>,
): Promise<void> {
  await db.query(update, [before, key, previous_key])
}
