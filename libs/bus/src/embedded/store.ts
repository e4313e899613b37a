/** All SQL of the embedded bus. The log is named with its schema: services write it as well. */
import { textArray, type Database, type Queries, statement } from '@causeway/postgres'
import type { DeadLetter } from '../event-bus.ts'
import { byteaColumn, type ByteaColumn } from './bytea-column.ts'
import { stored, writeHeaders, writeValue, type Prepared, type StoredMessage } from './envelope.ts'

/** A row of the log. */
export interface LogRow extends StoredMessage {
  readonly n: number
  /** Neither this message nor any of a higher number was announced before. */
  readonly at: Date
}

/** Numbers of the log fit a double: at a million a second they last for 285 years. */
interface RawLogRow extends StoredMessage {
  readonly n: string
  readonly at: Date
}

export interface Offset {
  readonly group: string
  readonly topic: string
  readonly n: number
}

/** A dead letter with its content. */
export interface StoredDeadLetter extends StoredMessage {
  readonly id: string
  readonly at: Date
}

const insertMessages = statement(`
  insert into bus.log (n, topic, key, type, headers, value, at)
  select $1::bigint + i - 1, topic, key, type, headers, value, $7::timestamptz
  from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[])
    with ordinality as message (topic, key, type, headers, value, i)`)

const headersColumn: ByteaColumn<Prepared> = {
  bytesOf: ({ headers_bytes }) => headers_bytes,
  write: writeHeaders,
}
const valueColumn: ByteaColumn<Prepared> = {
  bytesOf: ({ json_bytes }) => json_bytes,
  write: writeValue,
}

/** Writes the messages under the numbers from `first` on, in any role's transaction. */
export async function insert(
  db: Queries,
  first: number,
  { batch, since_ms }: { readonly batch: readonly Prepared[]; readonly since_ms: number },
): Promise<void> {
  const [one] = batch
  const at = new Date(since_ms).toISOString()
  if (one !== undefined && batch.length === 1) return insertAlone(db, first, one, at)
  await db.query(insertMessages, [
    first,
    textArray(batch.map(({ message }) => message.topic)),
    textArray(batch.map(({ message }) => message.key)),
    textArray(batch.map(({ message }) => message.type)),
    byteaColumn(batch, headersColumn),
    byteaColumn(batch, valueColumn),
    at,
  ])
}

const insertMessage = statement(`
  insert into bus.log (n, topic, key, type, headers, value, at)
  values ($1::bigint, $2, $3, $4, $5, $6, $7::timestamptz)`)

/** Without arrays one message costs 35 µs less, and under low load most messages arrive alone. */
async function insertAlone(db: Queries, n: number, prepared: Prepared, at: string): Promise<void> {
  const { topic, key, type, headers, value } = stored(prepared)
  await db.query(insertMessage, [n, topic, key, type, headers, value, at])
}

const selectHighest = statement(`
  select greatest((select max(n) from bus.log), (select max(n) from bus.offsets), 0) as n`)

/** The highest number that a row has or had. */
export async function highest(db: Database): Promise<number> {
  const [row] = await db.query<{ n: string }>(selectHighest, [])
  return Number(row?.n)
}

const insertVoid = statement(`
  insert into bus.log (n, topic, key, type, headers, value, at)
  values ($1::bigint, '', '', '', '', '', $2::timestamptz)
  on conflict do nothing
  returning n`)

/**
 * Decides whether the transaction that was to write this number has written it. While it runs this
 * waits for its end; if it did not commit, a row without a topic occupies the number for ever, so that
 * statements of it that are still in a socket find the number taken and fail.
 */
export async function wasWritten(db: Database, n: number, since_ms: number): Promise<boolean> {
  const voided = await db.query(insertVoid, [n, new Date(since_ms).toISOString()])
  return voided.length === 0
}

const insertOffsets = statement(`
  insert into bus.offsets (group_name, topic, n)
  select $1, topic,
         least(coalesce((select min(n) - 1 from bus.log), $3::bigint), $3::bigint)
  from unnest($2::text[]) as topic
  on conflict do nothing`)

const selectOffsets = statement(`
  select topic, n from bus.offsets where group_name = $1 and topic = any ($2::text[])`)

/** Offset of the group in each topic; that of a new group is before the oldest row. */
export async function join(
  db: Database,
  group: string,
  topics: readonly string[],
  handedOver: number,
): Promise<ReadonlyMap<string, number>> {
  const names = textArray(topics)
  await db.query(insertOffsets, [group, names, handedOver])
  const rows = await db.query<{ topic: string; n: string }>(selectOffsets, [group, names])
  return new Map(rows.map(({ topic, n }) => [topic, Number(n)]))
}

const selectReaders = statement(`select group_name as "group", topic from bus.offsets`)

/** Every group that reads a topic or once did, by topic. */
export async function readersKnown(db: Database): Promise<Map<string, Set<string>>> {
  const known = new Map<string, Set<string>>()
  for (const { group, topic } of await db.query<Omit<Offset, 'n'>>(selectReaders, [])) {
    known.set(topic, (known.get(topic) ?? new Set()).add(group))
  }
  return known
}

const upsertOffsets = statement(`
  with without_fsync as (select set_config('synchronous_commit', 'off', true))
  insert into bus.offsets (group_name, topic, n)
  select group_name, topic, n
  from without_fsync,
       unnest($1::text[], $2::text[], $3::text[]::bigint[]) as new (group_name, topic, n)
  on conflict (group_name, topic) do update set n = excluded.n, at = excluded.at
  where offsets.n < excluded.n`)

/** A crash may lose the last of these; messages after them are then delivered again. */
export async function storeOffsets(db: Database, offsets: readonly Offset[]): Promise<void> {
  await db.query(upsertOffsets, [
    textArray(offsets.map(({ group }) => group)),
    textArray(offsets.map(({ topic }) => topic)),
    textArray(offsets.map(({ n }) => String(n))),
  ])
}

const selectPage = statement(`
  select n, topic, key, type, headers, value, at
  from (
    select *, sum(length(headers) + length(value)) over (order by n rows unbounded preceding)
              - length(headers) - length(value) as bytes_before
    from (
      select * from bus.log
      where n > $1::bigint and n <= $2::bigint
        and topic = any ($3::text[])
        and (type = any ($4::text[]) or type <> all ($7::text[]))
      order by n limit $5::int
    ) page
  ) counted
  where bytes_before < $6::bigint
  order by n`)

export interface PageOptions {
  readonly after: number
  readonly upTo: number
  readonly topics: readonly string[]
  readonly types: readonly string[]
  /** Rows of other types than these are part of the page as well; undefined: of no other. */
  readonly known: readonly string[] | undefined
  readonly rows_max: number
  /** The page ends with the row that reaches it. */
  readonly bytes_max: number
}

export interface LogPage {
  readonly rows: readonly LogRow[]
  /** Every row up to here was read. */
  readonly upTo: number
}

export async function readPage(db: Database, options: PageOptions): Promise<LogPage> {
  const { after, upTo, topics, types, known, rows_max, bytes_max } = options
  const raw = await db.query<RawLogRow>(selectPage, [
    after,
    upTo,
    textArray(topics),
    textArray(types),
    rows_max,
    bytes_max,
    known === undefined ? null : textArray(known),
  ])
  const rows = raw.map((row) => ({ ...row, n: Number(row.n) }))
  const bytes = rows.reduce((sum, row) => sum + row.headers.length + row.value.length, 0)
  const isCut = rows.length === rows_max || bytes >= bytes_max
  return { rows, upTo: isCut ? (rows.at(-1)?.n ?? upTo) : upTo }
}

const selectNext = statement(`select at from bus.log where n > $1::bigint order by n limit 1`)

/** No row after that number was announced before; undefined when there is none. */
export async function announcedAfter(db: Database, n: number): Promise<number | undefined> {
  const [row] = await db.query<{ at: Date }>(selectNext, [n])
  return row?.at.getTime()
}

const deleteSlice = statement(`
  with without_fsync as (select set_config('synchronous_commit', 'off', true)),
  oldest as (select n, at from bus.log order by n limit $2::int),
  gone as (
    delete from bus.log
    using without_fsync
    where n = any (array(
      select n from oldest
      where at < now() - $1::int * interval '1 hour'
        and n <= (select min(n) from bus.offsets)
    ))
    returning 1
  )
  select count(*)::int as deleted from gone`)

/** Deletes old rows that every group has finished; returns how many. */
export async function deleteOldest(
  db: Database,
  retention_h: number,
  rows_max: number,
): Promise<number> {
  const [row] = await db.query<{ deleted: number }>(deleteSlice, [retention_h, rows_max])
  return row?.deleted ?? 0
}

const selectHolders = statement(`
  select group_name as "group", topics,
         extract(epoch from now() - at)::float8 - $1::int * 3600 as held_s
  from (
    select group_name, min(n) as n, array_agg(topic order by n, topic) as topics
    from bus.offsets group by group_name
  ) reader
  cross join lateral (select at from bus.log where log.n > reader.n order by log.n limit 1) next
  where at < now() - $1::int * interval '1 hour'
  order by held_s desc, group_name`)

/** A group for which messages are retained beyond the retention time. */
export interface Holder {
  readonly group: string
  /** The topics with the most unread rows first. */
  readonly topics: readonly string[]
  /** How long the oldest of them has been retained for it. */
  readonly held_s: number
}

/** The group that holds back the most first. */
export function holders(db: Database, retention_h: number): Promise<readonly Holder[]> {
  return db.query<Holder>(selectHolders, [retention_h])
}

const insertDeadLetter = statement(`
  insert into bus.dead_letters (group_name, id, topic, key, type, headers, value, reason)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (group_name, id)
    do update set reason = excluded.reason, at = excluded.at, replaying = false`)

export async function storeDeadLetter(
  db: Database,
  deadLetter: StoredMessage & {
    readonly group: string
    readonly id: string
    readonly reason: string
  },
): Promise<void> {
  const { group, id, topic, key, type, headers, value } = deadLetter
  // Text in PostgreSQL cannot contain U+0000, and the message of an error may.
  const reason = deadLetter.reason.replaceAll('\0', '')
  await db.query(insertDeadLetter, [group, id, topic, key, type, headers, value, reason])
}

const deleteReplayed = statement(
  `delete from bus.dead_letters where group_name = $1 and id = $2 and replaying`,
)

/** It was replayed and finished. */
export async function removeReplayed(db: Database, group: string, id: string): Promise<void> {
  await db.query(deleteReplayed, [group, id])
}

const deleteDeadLetter = statement(`delete from bus.dead_letters where group_name = $1 and id = $2`)

export async function removeDeadLetter(db: Database, group: string, id: string): Promise<void> {
  await db.query(deleteDeadLetter, [group, id])
}

const selectDeadLetter = statement(
  `select topic, key, type from bus.dead_letters where group_name = $1 and id = $2`,
)

export async function findDeadLetter(
  db: Database,
  group: string,
  id: string,
): Promise<Pick<StoredDeadLetter, 'topic' | 'key' | 'type'> | undefined> {
  const [deadLetter] = await db.query<Pick<StoredDeadLetter, 'topic' | 'key' | 'type'>>(
    selectDeadLetter,
    [group, id],
  )
  return deadLetter
}

const selectDeadLetters = statement(`
  select id, group_name as "group", topic, key, type, reason, at
  from bus.dead_letters order by at desc, id limit $1::int`)

export async function newestDeadLetters(
  db: Database,
  limit: number,
): Promise<readonly DeadLetter[]> {
  const rows = await db.query<Omit<DeadLetter, 'time'> & { at: Date }>(selectDeadLetters, [limit])
  return rows.map(({ at, ...deadLetter }) => ({ ...deadLetter, time: at.toISOString() }))
}

const beginReplay = statement(`
  update bus.dead_letters set replaying = true
  where group_name = $1 and id = $2
  returning id, topic, key, type, headers, value, at`)

/** Notes that the dead letter is to be delivered again; undefined when there is none. */
export async function markReplayed(
  db: Database,
  group: string,
  id: string,
): Promise<StoredDeadLetter | undefined> {
  const [deadLetter] = await db.query<StoredDeadLetter>(beginReplay, [group, id])
  return deadLetter
}

const selectReplayed = statement(`
  select id, topic, key, type, headers, value, at
  from bus.dead_letters
  where group_name = $1 and topic = any ($2::text[]) and replaying
  order by at limit $3::int`)

/** Dead letters whose replay was requested and is not finished. */
export async function replayedDeadLetters(
  db: Database,
  group: string,
  topics: readonly string[],
  limit: number,
): Promise<readonly StoredDeadLetter[]> {
  return db.query<StoredDeadLetter>(selectReplayed, [group, textArray(topics), limit])
}

const alive = statement(`select 1`)

/** Rejects when the database does not answer. */
export async function answers(db: Database): Promise<void> {
  await db.query(alive, [])
}
