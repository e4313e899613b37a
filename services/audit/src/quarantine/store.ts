/** The SQL of entries that are held or quarantined. */
import {
  byteaArray,
  statement,
  textArray,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import type { QuarantineReason } from '../domain/judge.ts'
import { storable } from '../store.ts'

export interface Unattributed {
  readonly contentHash: Buffer
  readonly id: string
  readonly source: string
  readonly action: string
  readonly actor: string
  readonly subject: string
  readonly keyId: string
  readonly content: Buffer
  readonly isEncrypted: boolean
  readonly receivedAt: Date
  /** Null: held. */
  readonly reason: QuarantineReason | null
  readonly quarantinedAt: Date | null
}

export type Quarantined = Unattributed & {
  readonly reason: QuarantineReason
  readonly quarantinedAt: Date
}

const insertRows = statement(`
  insert into unattributed
    (content_hash, id, source, action, actor, subject, key_id, content, is_encrypted, received_at,
     reason, quarantined_at)
  select content_hash, id, source, action, actor, subject, key_id, content, $9,
    received_at::timestamptz, reason, case when reason is not null then $10::timestamptz end
  from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::bytea[], $11::text[], $12::text[])
    as row (content_hash, id, source, action, actor, subject, key_id, content, received_at, reason)
  on conflict do nothing
  returning content_hash as "contentHash"`)

/** Returns the hashes of those that are new. */
export async function insertUnattributed(
  tx: Transaction,
  rows: readonly Omit<Unattributed, 'quarantinedAt' | 'isEncrypted'>[],
  isEncrypted: boolean,
  now: Date,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const texts = (of: (row: (typeof rows)[number]) => string) =>
    textArray(rows.map((row) => storable(of(row))))
  const inserted = await tx.query<{ readonly contentHash: Buffer }>(insertRows, [
    byteaArray(rows.map(({ contentHash }) => contentHash)),
    texts(({ id }) => id),
    texts(({ source }) => source),
    texts(({ action }) => action),
    texts(({ actor }) => actor),
    texts(({ subject }) => subject),
    texts(({ keyId }) => keyId),
    byteaArray(rows.map(({ content }) => content)),
    isEncrypted,
    now,
    texts(({ receivedAt }) => receivedAt.toISOString()),
    textArray(rows.map(({ reason }) => reason)),
  ])
  return new Set(inserted.map(({ contentHash }) => contentHash.toString('hex')))
}

const columns = `content_hash as "contentHash", id, source, action, actor, subject,
  key_id as "keyId", content, is_encrypted as "isEncrypted", received_at as "receivedAt", reason,
  quarantined_at as "quarantinedAt"`

const selectHeld = statement(`
  select ${columns} from unattributed where reason is null
  order by received_at, content_hash limit $1`)

/** The oldest first. */
export async function heldEntries(db: Queries, limit: number): Promise<readonly Unattributed[]> {
  return db.query<Unattributed>(selectHeld, [limit])
}

const lockRows = statement(`
  select content_hash as "contentHash" from unattributed
  where content_hash = any($1::bytea[]) and reason is null
  order by content_hash for update`)

/** Which of them are still held, locked; another replica may have decided about some. */
export async function lockHeld(
  tx: Transaction,
  hashes: readonly Buffer[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ readonly contentHash: Buffer }>(lockRows, [byteaArray(hashes)])
  return new Set(rows.map(({ contentHash }) => contentHash.toString('hex')))
}

const updateReasons = statement(`
  update unattributed set reason = judged.reason, quarantined_at = $3
  from unnest($1::bytea[], $2::text[]) as judged (content_hash, reason)
  where unattributed.content_hash = judged.content_hash`)

export async function quarantineHeld(
  tx: Transaction,
  rows: readonly { readonly contentHash: Buffer; readonly reason: QuarantineReason }[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(updateReasons, [
    byteaArray(rows.map(({ contentHash }) => contentHash)),
    textArray(rows.map(({ reason }) => reason)),
    now,
  ])
}

const deleteRows = statement(`delete from unattributed where content_hash = any($1::bytea[])`)

export async function deleteUnattributed(
  tx: Transaction,
  hashes: readonly Buffer[],
): Promise<void> {
  if (hashes.length > 0) await tx.query(deleteRows, [byteaArray(hashes)])
}

const lockOne = statement(`
  select ${columns} from unattributed where content_hash = $1 and reason is not null for update`)

export async function lockQuarantined(
  tx: Transaction,
  hash: Buffer,
): Promise<Quarantined | undefined> {
  const [row] = await tx.query<Quarantined>(lockOne, [hash])
  return row
}

const selectQuarantined = statement(`
  select ${columns} from unattributed where reason is not null
  order by quarantined_at desc, content_hash limit $1`)

/** The newest first. */
export async function quarantined(db: Queries, limit: number): Promise<readonly Quarantined[]> {
  return db.query<Quarantined>(selectQuarantined, [limit])
}

const countRows = statement(`
  select count(*) filter (where reason is null)::int as held,
    count(*) filter (where reason is not null)::int as quarantined
  from unattributed`)

export async function countUnattributed(
  db: Queries,
): Promise<{ readonly held: number; readonly quarantined: number }> {
  const [row] = await db.query<{ readonly held: number; readonly quarantined: number }>(
    countRows,
    [],
  )
  if (row === undefined) throw new Error('a count has no row')
  return row
}
