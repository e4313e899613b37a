/** Storage of the keys of months, and of erasures of months and persons. */
import type { ApprovalState } from '@causeway/approvals'
import {
  byteaArray,
  statement,
  textArray,
  type Queries,
  type Transaction,
} from '@causeway/postgres'

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

export interface Erasure {
  readonly id: string
  readonly kind: 'MonthErasure' | 'PersonErasure'
  readonly month: string | null
  /** Null of a month, and after the person is erased. */
  readonly person: Person | null
  readonly state: ApprovalState
  readonly createdBy: string
  readonly createdAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly note: string | null
  readonly progress: Readonly<Record<string, Progress>>
  readonly finishedAt: Date | null
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

const addPerson = statement(`
  insert into person_erasures (request_id, party_id_type, party_identifier, party_sub_id)
  values ($1, $2, $3, $4)`)

export async function addPersonErasure(
  tx: Transaction,
  id: string,
  { type, identifier, subId }: Person,
): Promise<void> {
  await tx.query(addPerson, [id, type, identifier, subId])
}

const update = statement(`
  update person_erasures set progress = $2, finished_at = $3, party_id_type = $4,
    party_identifier = $5, party_sub_id = $6
  where request_id = $1`)

export async function savePersonErasure(tx: Transaction, erasure: Erasure): Promise<void> {
  const { id, progress, finishedAt, person } = erasure
  const { type = null, identifier = null, subId = null } = person ?? {}
  await tx.query(update, [id, JSON.stringify(progress), finishedAt, type, identifier, subId])
}

const lock = statement(`select request_id from person_erasures where request_id = $1 for update`)

/** False: there is no approved erasure of a person with that id. */
export async function lockErasure(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.query(lock, [id])).length > 0
}

interface ErasureRow {
  readonly id: string
  readonly kind: Erasure['kind']
  readonly content: string
  readonly state: ApprovalState
  readonly createdBy: string
  readonly createdAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly note: string | null
  readonly type: string | null
  readonly identifier: string | null
  readonly subId: string | null
  readonly progress: string | null
  readonly finishedAt: Date | null
}

const columns = `approvals.request_id as id, kind, content, state, created_by as "createdBy",
  created_at as "createdAt", decided_by as "decidedBy", decided_at as "decidedAt", note,
  party_id_type as type, party_identifier as identifier, party_sub_id as "subId", progress,
  finished_at as "finishedAt"`

const ofErasures = `approvals left join person_erasures using (request_id)
  where kind in ('MonthErasure', 'PersonErasure')`

const find = statement(`select ${columns} from ${ofErasures} and request_id = $1`)
const list = statement(`
  select ${columns} from ${ofErasures} order by created_at desc, request_id desc limit $1`)

export async function erasureById(db: Queries, id: string): Promise<Erasure | undefined> {
  const [row] = await db.query<ErasureRow>(find, [id])
  return row && erasureOf(row)
}

/** The newest first. */
export async function erasures(db: Queries, rows_max: number): Promise<readonly Erasure[]> {
  return (await db.query<ErasureRow>(list, [rows_max])).map(erasureOf)
}

function erasureOf({
  type,
  identifier,
  subId,
  content: json,
  progress,
  ...row
}: ErasureRow): Erasure {
  const content = JSON.parse(json) as ErasureContent
  const { partyIdType, partyIdentifier, partySubId = null } = content
  const pending =
    partyIdType === undefined || partyIdentifier === undefined
      ? null
      : { type: partyIdType, identifier: partyIdentifier, subId: partySubId }
  const isMonthErased = row.kind === 'MonthErasure' && row.state === 'APPROVED'
  return {
    ...row,
    month: content.month ?? null,
    person: type === null || identifier === null ? pending : { type, identifier, subId },
    progress: JSON.parse(progress ?? '{}') as Erasure['progress'],
    finishedAt: isMonthErased ? row.decidedAt : row.finishedAt,
  }
}

/** Of a month, or of a person until the request is decided. */
interface ErasureContent {
  readonly month?: string
  readonly partyIdType?: string
  readonly partyIdentifier?: string
  readonly partySubId?: string
}
