/** The SQL of the erasure of a person. */
import { statement, textArray, type Queries } from '@causeway/postgres'

export interface DeadMessage {
  readonly id: string
  readonly n: string
  /** JSON: the notification without its body. */
  readonly request: string
  readonly body: Buffer
}

const selectPage = statement(`
  select notification_id::text as id, n::text as n, request::text as request, body from undelivered
  where state = 'DEAD' and n > $1::text::bigint order by n limit $2`)

/** Dead letters after the one with that number, in their order. */
export function deadAfter(
  db: Queries,
  n: string,
  rows_max: number,
): Promise<readonly DeadMessage[]> {
  return db.query<DeadMessage>(selectPage, [n, rows_max])
}

const deleteRows = statement(`
  delete from undelivered where state = 'DEAD' and notification_id = any ($1::text[]::uuid[])`)

export async function deleteDead(db: Queries, ids: readonly string[]): Promise<void> {
  await db.query(deleteRows, [textArray(ids)])
}

const replaceKeys = statement(`
  with found as (
    update deliveries set entity_id = $2::text
    where entity_id = $1::text collate "C" or starts_with(entity_id, $1::text || '/')
    returning 1
  )
  select count(*)::integer as rows from found`)

/** In the history of deliveries: questions about a party are filed under its key. Returns how many. */
export async function replaceEntity(db: Queries, key: string, otherwise: string): Promise<number> {
  const [row] = await db.query<{ rows: number }>(replaceKeys, [key, otherwise])
  return row?.rows ?? 0
}
