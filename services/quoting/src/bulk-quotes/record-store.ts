/**
 * The stored data of bulk quotes and of their items as quotes of their own, and a search that walks along
 * an index.
 */
import { isArchived, statement, textArray, type Database } from '@causeway/postgres'
import {
  readDeliveries,
  type DeliveryRow,
  type RecordRow,
  type StoredRecord,
} from '../quotes/record-store.ts'
import type { BulkQuote } from './domain/bulk-quote.ts'
import { itemVerdict, resultsIn } from './domain/item-verdict.ts'

export interface BulkRecordRow {
  readonly id: string
  readonly payer_fsp: string
  readonly payee_fsp: string | null
  readonly items: number
  readonly items_refused: number
  readonly state: BulkQuote['state']
  readonly reason: string | null
  readonly error: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly valid_until: Date | null
  readonly completed_at: Date | null
}

export interface BulkItemRow {
  readonly quote_id: string
  readonly transaction_id: string
  readonly amount_type: string
  readonly amount: string
  readonly currency: string
  /** errorInformation, JSON: why the hub refused it. */
  readonly error: string | null
}

export interface StoredBulkRecord {
  readonly bulk: BulkRecordRow
  /** In the order of the request; empty when they are archived. */
  readonly items: readonly BulkItemRow[]
  /** The payee FSP's message; null if there is none or it is archived. */
  readonly answer: Buffer | null
  /** YYYY-MM; null if the items are not archived. */
  readonly archivedMonth: string | null
  readonly deliveries: readonly DeliveryRow[]
}

/** A page begins after this bulk quote. */
export interface Place {
  readonly createdAt: Date
  readonly id: string
}

export interface BulkSearch {
  /** undefined: any FSP. */
  readonly fspId: string | undefined
  /** Empty: any state. */
  readonly states: readonly string[]
  readonly from: Date | undefined
  readonly before: Place
  readonly rows_max: number
}

export interface FoundBulks {
  readonly rows: readonly BulkRecordRow[]
  /** undefined: this is the last page. */
  readonly next: Place | undefined
}

const deliveries_max = 200
/** Rows that one page examines to find those in the requested states. */
const scanned_max = 10_000

const columns = `q.id, q.payer_fsp, q.payee_fsp, q.items, q.items_refused, q.state, q.reason,
  q.error, q.created_at, q.expires_at, q.valid_until, q.completed_at`

const selectBulks = statement(`
  select ${columns} from unnest($1::text[]) as a (id) join bulk_quotes q on q.id = a.id collate "C"`)

const selectBulk = statement(`
  select ${columns}, m.body as answer,
    case when ${isArchived('bulk_quote_items', 'q.month')} then to_char(q.month, 'YYYY-MM') end
      as archived_month
  from bulk_quotes q
  left join bulk_messages m on m.bulk_quote_id = q.id and m.month = q.month and m.kind = 'RESPONSE'
  where q.id = $1::text collate "C"`)

const selectItems = statement(`
  select i.quote_id, i.transaction_id, i.amount_type, i.amount, i.currency, i.error
  from bulk_quotes q join bulk_quote_items i on i.bulk_quote_id = q.id and i.month = q.month
  where q.id = $1::text collate "C" order by i.position`)

const selectDeliveries = statement(`
  select notification_id, leg_role, destination_fsp, status, http_status, attempts, duration_ms,
    last_error, reported_at
  from deliveries where quote_id = $1::text collate "C" and report like '%BulkQuote%'
  order by reported_at limit ${deliveries_max}`)

/** Ids of items are unique only within their bulk: of several the latest counts. */
const selectItem = statement(`
  select i.quote_id as id, i.transaction_id, null as transaction_request_id, q.payer_fsp,
    q.payee_fsp, i.amount_type, i.amount, i.currency, q.expires_at, q.created_at, q.state, q.reason,
    q.error, i.error as refusal, null as rule_id, null as transfer_amount, q.valid_until,
    q.completed_at, q.id as bulk_quote_id, null as request, m.body as answer
  from bulk_quote_items i
  join bulk_quotes q on q.id = i.bulk_quote_id and q.month = i.month
  left join bulk_messages m on m.bulk_quote_id = q.id and m.month = q.month and m.kind = 'RESPONSE'
  where i.quote_id = $1::text collate "C"
  order by q.created_at desc limit 1`)

/** A walk along one index, from the newest row to the oldest in the time range. */
function walk(where: string): string {
  return `(select ${columns} from bulk_quotes q
    where ${where} and (q.created_at, q.id) < ($1::timestamptz, $2::text collate "C")
      and q.created_at >= $3::timestamptz
    order by q.created_at desc, q.id desc limit ${scanned_max})`
}

/** The requested rows of the walk, each with the place where the walk ended early. */
function pageOf(walked: string): string {
  return `
    with walked as materialized (
      select * from (${walked}) w order by created_at desc, id desc limit ${scanned_max}
    ), page as (
      select * from walked where $4::text[] = '{}' or state = any ($4::text[])
      order by created_at desc, id desc limit $5::integer
    ), walk_end as (
      select created_at as end_at, id as end_id from walked order by created_at, id limit 1
    )
    select page.*, end_at, end_id
    from (select count(*) as walked from walked) c
    left join walk_end on c.walked = ${scanned_max}
    left join page on true
    order by page.created_at desc, page.id desc`
}

const ofAnyFsp = statement(pageOf(walk('true')))
const ofFsp = statement(
  pageOf(`${walk('q.payer_fsp = $6')} union all ${walk('q.payee_fsp = $6 and q.payer_fsp <> $6')}`),
)

const theBeginning = new Date(0)

/** One row without a bulk quote if none is found. */
type FoundRow = (BulkRecordRow | { readonly id: null }) & {
  readonly end_at: Date | null
  readonly end_id: string | null
}

export function readBulks(db: Database, ids: readonly string[]): Promise<readonly BulkRecordRow[]> {
  return db.query<BulkRecordRow>(selectBulks, [textArray(ids)])
}

export async function readBulkRecord(
  db: Database,
  id: string,
): Promise<StoredBulkRecord | undefined> {
  const [[row], items, deliveries] = await Promise.all([
    db.query<
      BulkRecordRow & { readonly answer: Buffer | null; readonly archived_month: string | null }
    >(selectBulk, [id]),
    db.query<BulkItemRow>(selectItems, [id]),
    db.query<DeliveryRow>(selectDeliveries, [id]),
  ])
  if (row === undefined) return undefined
  const { answer, archived_month: archivedMonth, ...bulk } = row
  return { bulk, items, answer, archivedMonth, deliveries }
}

export async function searchBulks(
  db: Database,
  { fspId, states, from, before, rows_max }: BulkSearch,
): Promise<FoundBulks> {
  const start = from ?? theBeginning
  const values = [before.createdAt, before.id, start, textArray(states), rows_max]
  const found =
    fspId === undefined
      ? await db.query<FoundRow>(ofAnyFsp, values)
      : await db.query<FoundRow>(ofFsp, [...values, fspId])
  const rows = found.flatMap((row) => (row.id === null ? [] : [row]))
  const last = rows.at(-1)
  if (rows.length === rows_max && last !== undefined) {
    return { rows, next: { createdAt: last.created_at, id: last.id } }
  }
  const { end_at = null, end_id = null } = found[0] ?? {}
  if (end_at === null || end_id === null) return { rows, next: undefined }
  return { rows, next: { createdAt: end_at, id: end_id } }
}

interface ItemRow extends Omit<RecordRow, 'state'> {
  readonly state: BulkQuote['state']
  readonly bulk_quote_id: string
  /** The hub's errorInformation of the item. */
  readonly refusal: string | null
  /** The payee FSP's message. */
  readonly answer: Buffer | null
}

export async function readItemRecord(
  db: Database,
  quoteId: string,
): Promise<StoredRecord | undefined> {
  const [row] = await db.query<ItemRow>(selectItem, [quoteId])
  if (row === undefined) return undefined
  const { answer, refusal, ...item } = row
  const results = answer === null ? undefined : resultsIn(answer)
  const { transferAmount, ...verdict } = itemVerdict(quoteId, refusal, item, results)
  const transfer_amount = transferAmount === null ? null : String(transferAmount)
  return {
    quote: { ...item, ...verdict, transfer_amount },
    deliveries: await readDeliveries(db, row.bulk_quote_id),
  }
}
