/** Storage of requests: the table `approvals`, which each service with such changes has. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { JudgedApproval, PendingTotals } from './judge.ts'

export interface StoredRequest extends JudgedApproval {
  readonly kind: string
  /** JSON, without secrets. */
  readonly content: string
  /** The content with its secrets, encrypted; null: it has none, or the request is decided. */
  readonly sealed: Buffer | null
  /** JSON of what the change replaces, as it was at the request. */
  readonly replaces: string | null
  readonly decidedAt: Date | null
  readonly note: string | null
}

const columns = `request_id as id, kind, state, content, sealed, replaces, created_by as "createdBy",
  created_at as "createdAt", decided_by as "decidedBy", decided_at as "decidedAt", note`

const lockTurns = statement(
  `select pg_advisory_xact_lock(hashtextextended(current_schema() || '/approvals', 0)),
    clock_timestamp()::timestamptz(3) as now`,
)

/** New requests of a service take turns, so that none is stored twice. The time of the database. */
export async function takeTurn(tx: Transaction): Promise<Date> {
  const [row] = await tx.query<{ readonly now: Date }>(lockTurns, [])
  if (row === undefined) throw new Error('the database returned no time')
  return row.now
}

const find = statement(`select ${columns} from approvals where request_id = $1`)
const lock = statement(`select ${columns} from approvals where request_id = $1 for update`)
const lockOfTurn = statement(`
  select ${columns} from approvals where turn = $1 and state = 'PEND-APPROVAL' for update`)

export async function requestById(db: Queries, id: string): Promise<StoredRequest | undefined> {
  return (await db.query<StoredRequest>(find, [id]))[0]
}

export async function lockRequest(tx: Transaction, id: string): Promise<StoredRequest | undefined> {
  return (await tx.query<StoredRequest>(lock, [id]))[0]
}

/** The pending request of that turn; it may have expired. */
export async function lockPending(
  tx: Transaction,
  turn: string,
): Promise<StoredRequest | undefined> {
  return (await tx.query<StoredRequest>(lockOfTurn, [turn]))[0]
}

const insert = statement(`
  insert into approvals
    (request_id, kind, content, sealed, replaces, turn, withdraws, created_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)

export async function addRequest(
  tx: Transaction,
  request: StoredRequest,
  { turn, withdraws }: { readonly turn: string | null; readonly withdraws: boolean },
): Promise<void> {
  const { id, kind, content, sealed, replaces, createdBy, createdAt } = request
  const what = [id, kind, content, sealed, replaces, turn, withdraws]
  await tx.query(insert, [...what, createdBy, createdAt])
}

const count = statement(`
  select count(*)::int as "ofAll",
    count(*) filter (where created_by = $1 and kind = $2)::int as "ofMaker",
    coalesce(sum(octet_length(content || coalesce(replaces, ''))), 0)::int as "allBytes",
    coalesce(sum(octet_length(content || coalesce(replaces, '')))
      filter (where created_by = $1), 0)::int as "makerBytes"
  from approvals where state = 'PEND-APPROVAL' and withdraws = $3 and created_at > $4`)

/** Of the requests that have not expired: those that only withdraw something, or the others. */
export async function waitingRequests(
  tx: Transaction,
  { createdBy, kind }: Pick<StoredRequest, 'createdBy' | 'kind'>,
  withdraws: boolean,
  expiredUntil: Date,
): Promise<PendingTotals> {
  const [row] = await tx.query<PendingTotals>(count, [createdBy, kind, withdraws, expiredUntil])
  if (row === undefined) throw new Error('a count has no row')
  return row
}

const update = statement(`
  update approvals
  set state = $2, decided_by = $3, decided_at = $4, note = $5, content = $6, sealed = null
  where request_id = $1 and state = 'PEND-APPROVAL'
  returning request_id`)

/** Throws if the request is decided already. The secrets of the content are deleted. */
export async function saveDecision(tx: Transaction, decided: StoredRequest): Promise<void> {
  const { id, state, decidedBy, decidedAt, note, content } = decided
  const rows = await tx.query(update, [id, state, decidedBy, decidedAt, note, content])
  if (rows.length === 0) throw new Error(`the request ${id} was decided meanwhile`)
}

const list = statement(`
  select ${columns} from approvals
  where state = 'PEND-APPROVAL' and created_at > $2
    and (cardinality($1::text[]) = 0 or kind = any($1::text[]))
    and ($3::timestamptz is null or (created_at, request_id) < ($3::timestamptz, $4))
  order by created_at desc, request_id desc
  limit $5`)

export interface RequestFilter {
  /** Empty: all kinds. */
  readonly kinds: readonly string[]
  /** Requests of this time and before have expired. */
  readonly expiredUntil: Date
}

/** The last of the page before. */
export interface Place {
  readonly createdAt: string
  readonly id: string
}

/** The newest first. */
export function pendingRequests(
  db: Queries,
  { kinds, expiredUntil }: RequestFilter,
  after: Place | undefined,
  rows_max: number,
): Promise<readonly StoredRequest[]> {
  const place = [after?.createdAt ?? null, after?.id ?? '']
  return db.query<StoredRequest>(list, [textArray(kinds), expiredUntil, ...place, rows_max])
}

const begin = statement(`savepoint trial`)
const undo = statement(`rollback to savepoint trial`)

/**
 * Runs the work and rolls it back unless its result is to be committed. What it has announced is discarded
 * with it: announcements are written at the commit, so the savepoint does not cover them.
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
