/**
 * The stored data of bulk quotes and of their items as quotes of their own, and a search that walks along
 * an index.
 */
import type { Bodies } from '@causeway/keys/months'
import { isArchived, statement, textArray, type Database } from '@causeway/postgres'
import type { AmountType, QuoteReason, QuoteState } from '@causeway/protos'
import {
  foundIn,
  ofFspConditions,
  pageStatement,
  scanned_usual,
  type DeliveryRow,
  type FoundPage,
  type WalkSearch,
  type WalkedRow,
} from '@causeway/records'
import { readDeliveries, type RecordRow, type StoredRecord } from '../quotes/record-store.ts'
import { itemVerdict, resultsIn } from './domain/item-verdict.ts'

export interface BulkRecordRow {
  readonly id: string
  readonly payer_fsp: string
  readonly payee_fsp: string | null
  readonly items: number
  readonly items_refused: number
  readonly state: QuoteState
  readonly reason: QuoteReason | null
  readonly error: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly valid_until: Date | null
  readonly completed_at: Date | null
}

export interface BulkItemRow {
  readonly quote_id: string
  readonly transaction_id: string
  readonly amount_type: AmountType
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

const deliveries_max = 200

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

const walked = {
  table: 'bulk_quotes q',
  columns,
  time: 'created_at',
  scanned_max: scanned_usual,
} as const
const ofAnyFsp = statement(pageStatement(walked, 'true'))
const ofFsp = statement(pageStatement(walked, ...ofFspConditions))

const theBeginning = new Date(0)

export function readBulks(db: Database, ids: readonly string[]): Promise<readonly BulkRecordRow[]> {
  return db.query<BulkRecordRow>(selectBulks, [textArray(ids)])
}

export async function readBulkRecord(
  db: Database,
  bodies: Bodies,
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
  const { answer: stored, archived_month: archivedMonth, ...bulk } = row
  const [answer = null] = await bodies.open([stored])
  return { bulk, items, answer, archivedMonth, deliveries }
}

export async function searchBulks(
  db: Database,
  { fspId, states, from, before, rows_max }: WalkSearch,
): Promise<FoundPage<BulkRecordRow>> {
  const start = from ?? theBeginning
  const values = [before.at, before.id, start, textArray(states), rows_max]
  const found =
    fspId === undefined
      ? await db.query<WalkedRow<BulkRecordRow>>(ofAnyFsp, values)
      : await db.query<WalkedRow<BulkRecordRow>>(ofFsp, [...values, fspId])
  return foundIn(found, rows_max, (row) => row.created_at)
}

interface ItemRow extends RecordRow {
  readonly bulk_quote_id: string
  /** The hub's errorInformation of the item. */
  readonly refusal: string | null
  /** The payee FSP's message. */
  readonly answer: Buffer | null
}

export async function readItemRecord(
  db: Database,
  bodies: Bodies,
  quoteId: string,
): Promise<StoredRecord | undefined> {
  const [row] = await db.query<ItemRow>(selectItem, [quoteId])
  if (row === undefined) return undefined
  const { answer: stored, refusal, ...item } = row
  const [answer = null] = await bodies.open([stored])
  const results = answer === null ? undefined : resultsIn(answer)
  const { transferAmount, ...verdict } = itemVerdict(quoteId, refusal, item, results)
  const transfer_amount = transferAmount === null ? null : String(transferAmount)
  return {
    quote: { ...item, ...verdict, transfer_amount },
    deliveries: await readDeliveries(db, row.bulk_quote_id),
  }
}
