/** Requests for changes as rows. They are written only in the ledger's queue. */
import { createHash } from 'node:crypto'
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { RequestState } from '@causeway/services'
import type { ChangeRequest } from './domain/request.ts'
import type { Wanted } from './domain/wanted.ts'

const columns = `request_id, change, state, created_by, created_at, decided_by, decided_at, note`

interface RequestRow {
  readonly request_id: string
  readonly change: string
  readonly state: RequestState
  readonly created_by: string
  readonly created_at: Date
  readonly decided_by: string | null
  readonly decided_at: Date | null
  readonly note: string
}

function requestOf(row: RequestRow): ChangeRequest {
  return {
    id: row.request_id,
    wanted: JSON.parse(row.change) as Wanted,
    state: row.state,
    createdBy: row.created_by,
    createdAt: row.created_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    note: row.note,
  }
}

const find = statement(`select ${columns} from change_requests where request_id = $1`)
const lock = statement(`select ${columns} from change_requests where request_id = $1 for update`)

export async function requestById(db: Queries, id: string): Promise<ChangeRequest | undefined> {
  const [row] = await db.query<RequestRow>(find, [id])
  return row && requestOf(row)
}

export async function lockRequest(tx: Transaction, id: string): Promise<ChangeRequest | undefined> {
  const [row] = await tx.query<RequestRow>(lock, [id])
  return row && requestOf(row)
}

const findEqual = statement(`
  select request_id from change_requests where content_hash = $1 and state = 'PEND-APPROVAL'`)

/** The pending request with equal content, where there is one. */
export async function pendingEqual(tx: Transaction, wanted: Wanted): Promise<string | undefined> {
  const [row] = await tx.query<{ request_id: string }>(findEqual, [hashOf(wanted)])
  return row?.request_id
}

const insert = statement(`
  insert into change_requests (request_id, type, change, content_hash, created_by)
  values ($1, $2, $3, $4, $5)
  returning ${columns}`)

export async function addRequest(
  tx: Transaction,
  { id, wanted, by }: { readonly id: string; readonly wanted: Wanted; readonly by: string },
): Promise<ChangeRequest> {
  const [row] = await tx.query<RequestRow>(insert, [
    id,
    wanted.type,
    JSON.stringify(wanted),
    hashOf(wanted),
    by,
  ])
  if (row === undefined) throw new Error(`the request ${id} was not stored`)
  return requestOf(row)
}

/** Decides only a request that is still pending, regardless of what was read before. */
const decide = statement(`
  update change_requests
  set state = $2, decided_by = $3, decided_at = clock_timestamp(), note = $4
  where request_id = $1 and state = 'PEND-APPROVAL'
  returning ${columns}`)

export async function decideRequest(
  tx: Transaction,
  id: string,
  { state, by, note }: { readonly state: RequestState; readonly by: string; readonly note: string },
): Promise<ChangeRequest> {
  const [row] = await tx.query<RequestRow>(decide, [id, state, by, note])
  if (row === undefined) throw new Error(`the request ${id} was decided meanwhile`)
  return requestOf(row)
}

const list = statement(`
  select ${columns} from change_requests
  where ($1 = '' or type = $1) and ($2 = '' or state = $2)
    and ($3::text is null or (created_at, request_id) < ($3::text::timestamptz, $4))
  order by created_at desc, request_id desc
  limit $5`)

/** The last of the page before. */
export interface RequestCursor {
  readonly createdAt: string
  readonly id: string
}

/** The newest first; '' means all types, or all states. */
export async function requestsOf(
  db: Queries,
  { type, state }: { readonly type: string; readonly state: string },
  after: RequestCursor | null,
  limit: number,
): Promise<readonly ChangeRequest[]> {
  const place = [after?.createdAt ?? null, after?.id ?? '']
  return (await db.query<RequestRow>(list, [type, state, ...place, limit])).map(requestOf)
}

const begin = statement(`savepoint attempt`)
const undo = statement(`rollback to savepoint attempt`)

/**
 * Runs the work and rolls it back unless its result is to be committed. Its events are discarded
 * with it: they are written at commit, so the savepoint does not cover them.
 */
export async function attempt<T>(
  tx: Transaction,
  work: () => Promise<T>,
  isKept: (result: T) => boolean,
): Promise<T> {
  await tx.query(begin, [])
  const announced = tx.announced.length
  const result = await work()
  if (!isKept(result)) {
    await tx.query(undo, [])
    tx.announced.splice(announced)
  }
  return result
}

function hashOf(wanted: Wanted): Buffer {
  return createHash('sha256').update(JSON.stringify(wanted)).digest()
}
