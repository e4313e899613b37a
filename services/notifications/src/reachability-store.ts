/** The SQL of FSPs that the hub does not reach. In a file of its own, as all SQL is. */
import { statement, textArray, type Queries } from '@causeway/postgres'

export interface UnreachableRow {
  readonly fsp_id: string
  readonly since: Date
  readonly last_error: string
}

const selectAll = statement('select fsp_id from unreachable_fsps')

export async function readUnreachable(db: Queries): Promise<readonly string[]> {
  const rows = await db.query<{ readonly fsp_id: string }>(selectAll, [])
  return rows.map(({ fsp_id }) => fsp_id)
}

const selectSome = statement(`
  select fsp_id, since, last_error from unreachable_fsps where fsp_id = any($1::text[])`)

export async function readUnreachableOf(
  db: Queries,
  fspIds: readonly string[],
): Promise<readonly UnreachableRow[]> {
  return db.query<UnreachableRow>(selectSome, [textArray(fspIds)])
}

const insert = statement(`
  insert into unreachable_fsps (fsp_id, since, last_error) values ($1, $2, $3)
  on conflict do nothing`)

export async function insertUnreachable(
  db: Queries,
  fspId: string,
  since: Date,
  lastError: string,
): Promise<void> {
  await db.query(insert, [fspId, since, lastError])
}

const remove = statement('delete from unreachable_fsps where fsp_id = $1')

export async function deleteUnreachable(db: Queries, fspId: string): Promise<void> {
  await db.query(remove, [fspId])
}
