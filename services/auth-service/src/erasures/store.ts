/** Storage of the keys of months, and of requests to erase a month or a person. */
import {
  byteaArray,
  statement,
  textArray,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import type { ApprovalRequest, RequestState } from '@causeway/services'

export interface StoredKey {
  readonly month: string
  /** Null: dropped. */
  readonly sealed: Buffer | null
  readonly created_at: Date
  readonly dropped_at: Date | null
}

export interface Person {
  readonly type: string
  readonly identifier: string
  readonly subId: string | null
}

export interface Progress {
  /** Where the next page begins; null: the service is done. */
  readonly next: string | null
  readonly erased: number
}

export interface ErasureRequest extends ApprovalRequest {
  readonly kind: 'MONTH' | 'PERSON'
  readonly month: string | null
  readonly person: Person | null
  readonly progress: Readonly<Record<string, Progress>>
  readonly finishedAt: Date | null
}

interface Row {
  readonly request_id: string
  readonly kind: 'MONTH' | 'PERSON'
  readonly month: string | null
  readonly party_id_type: string | null
  readonly party_identifier: string | null
  readonly party_sub_id: string | null
  readonly state: RequestState
  readonly created_by: string
  readonly created_at: Date
  readonly decided_by: string | null
  readonly decided_at: Date | null
  readonly note: string
  readonly progress: string
  readonly finished_at: Date | null
}

const keyColumns = `to_char(month, 'YYYY-MM') as month, sealed, created_at, dropped_at`

const selectKeys = statement(`
  select ${keyColumns} from month_keys
  where to_char(month, 'YYYY-MM') = any ($1::text[])`)

export function monthKeys(db: Queries, months: readonly string[]): Promise<readonly StoredKey[]> {
  return db.query<StoredKey>(selectKeys, [textArray(months)])
}

const selectAllKeys = statement(
  `select ${keyColumns} from month_keys order by month_keys.month desc`,
)

/** The newest first. */
export function allMonthKeys(db: Queries): Promise<readonly StoredKey[]> {
  return db.query<StoredKey>(selectAllKeys, [])
}

const insertKeys = statement(`
  insert into month_keys (month, sealed, created_at)
  select to_date(month, 'YYYY-MM'), sealed, $3::timestamptz
  from unnest($1::text[], $2::bytea[]) as a (month, sealed)
  order by month
  on conflict do nothing`)

export async function addMonthKeys(
  db: Queries,
  months: readonly string[],
  sealed: readonly Buffer[],
  now: Date,
): Promise<void> {
  await db.query(insertKeys, [textArray(months), byteaArray(sealed), now])
}

const lockKeys = statement(`
  select ${keyColumns} from month_keys order by month_keys.month for update`)

export function lockMonthKeys(tx: Transaction): Promise<readonly StoredKey[]> {
  return tx.query<StoredKey>(lockKeys, [])
}

const updateKey = statement(`
  update month_keys set sealed = $2 where month = to_date($1, 'YYYY-MM')`)

export async function saveMonthKey(tx: Transaction, month: string, sealed: Buffer): Promise<void> {
  await tx.query(updateKey, [month, sealed])
}

const dropKey = statement(`
  update month_keys set sealed = null, dropped_at = $2
  where month = to_date($1, 'YYYY-MM') and sealed is not null`)

/** Nothing brings it back. */
export async function dropMonthKey(tx: Transaction, month: string, now: Date): Promise<void> {
  await tx.query(dropKey, [month, now])
}

const columns = `request_id, kind, to_char(month, 'YYYY-MM') as month, party_id_type,
  party_identifier, party_sub_id, state, created_by, created_at, decided_by, decided_at, note, progress,
  finished_at`

function requestOf(row: Row): ErasureRequest {
  const { party_id_type: type, party_identifier: identifier, party_sub_id: subId } = row
  return {
    id: row.request_id,
    kind: row.kind,
    month: row.month,
    person: type === null || identifier === null ? null : { type, identifier, subId },
    state: row.state,
    createdBy: row.created_by,
    createdAt: row.created_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    note: row.note,
    progress: JSON.parse(row.progress) as ErasureRequest['progress'],
    finishedAt: row.finished_at,
  }
}

const lockTable = statement(`select pg_advisory_xact_lock(hashtextextended('erasures', 0))`)

/** Requests take turns, also the first one, which has no row to lock. */
export async function lockErasures(tx: Transaction): Promise<void> {
  await tx.query(lockTable, [])
}

const lockById = statement(`select ${columns} from erasures where request_id = $1 for update`)

export async function lockErasure(
  tx: Transaction,
  id: string,
): Promise<ErasureRequest | undefined> {
  const [row] = await tx.query<Row>(lockById, [id])
  return row && requestOf(row)
}

const pendingOfMonth = statement(`
  select request_id from erasures
  where month = to_date($1, 'YYYY-MM') and kind = 'MONTH' and state = 'PEND-APPROVAL'`)

/** The id of the pending request for the month, where there is one. */
export async function pendingErasure(tx: Transaction, month: string): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Row, 'request_id'>>(pendingOfMonth, [month])
  return row?.request_id
}

const insert = statement(`
  insert into erasures (request_id, kind, month, party_id_type, party_identifier, party_sub_id,
    created_by, created_at)
  values ($1, $2, to_date($3, 'YYYY-MM'), $4, $5, $6, $7, $8)`)

export async function addErasure(tx: Transaction, request: ErasureRequest): Promise<void> {
  const { id, kind, month, person, createdBy, createdAt } = request
  await tx.query(insert, [
    id,
    kind,
    month,
    person?.type ?? null,
    person?.identifier ?? null,
    person?.subId ?? null,
    createdBy,
    createdAt,
  ])
}

const update = statement(`
  update erasures set state = $2, decided_by = $3, decided_at = $4, note = $5, progress = $6,
    finished_at = $7, party_id_type = $8, party_identifier = $9, party_sub_id = $10
  where request_id = $1`)

export async function saveErasure(tx: Transaction, request: ErasureRequest): Promise<void> {
  const { id, state, decidedBy, decidedAt, note, progress, finishedAt, person } = request
  await tx.query(update, [
    id,
    state,
    decidedBy,
    decidedAt,
    note,
    JSON.stringify(progress),
    finishedAt,
    person?.type ?? null,
    person?.identifier ?? null,
    person?.subId ?? null,
  ])
}

const list = statement(`
  select ${columns} from erasures where $1::text is null or state = $1
  order by created_at desc, request_id desc limit $2`)

/** The newest first. */
export async function erasures(
  db: Queries,
  state: string | null,
  rows_max: number,
): Promise<readonly ErasureRequest[]> {
  return (await db.query<Row>(list, [state, rows_max])).map(requestOf)
}
