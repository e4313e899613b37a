/** The stored data of one quote. */
import type { Bodies } from '@causeway/keys/months'
import { statement, textArray, type Database } from '@causeway/postgres'
import type { AmountType, QuoteReason, QuoteState } from '@causeway/protos'
import type { DeliveryRow } from '@causeway/records'

export interface RecordRow {
  readonly id: string
  readonly transaction_id: string
  readonly transaction_request_id: string | null
  readonly payer_fsp: string
  readonly payee_fsp: string | null
  readonly amount_type: AmountType
  readonly amount: string
  readonly currency: string
  readonly expires_at: Date
  readonly created_at: Date
  readonly state: QuoteState
  readonly reason: QuoteReason | null
  readonly error: string | null
  readonly rule_id: string | null
  readonly transfer_amount: string | null
  readonly valid_until: Date | null
  readonly completed_at: Date | null
  /** The bulk quote that contains it; null for a single quote. */
  readonly bulk_quote_id: string | null
  /** The payer FSP's request as received; null if it was not stored, or is erased. */
  readonly request: Buffer | null
}

export interface StoredRecord {
  readonly quote: RecordRow
  readonly deliveries: readonly DeliveryRow[]
}

const deliveries_max = 200

const selectRecord = statement(`
  select q.id, q.transaction_id, q.transaction_request_id, q.payer_fsp, q.payee_fsp, q.amount_type,
    q.amount, q.currency, q.expires_at, q.created_at, q.state, q.reason, q.error, q.rule_id, q.transfer_amount,
    q.valid_until, q.completed_at, null as bulk_quote_id, m.body as request
  from quotes q
  left join messages m on m.quote_id = q.id and m.month = q.month and m.kind = 'REQUEST'
  where q.id = $1::text collate "C"`)

const selectDeliveries = statement(`
  select notification_id, leg_role, destination_fsp, status, http_status, attempts, duration_ms,
    last_error, reported_at
  from deliveries where quote_id = $1::text collate "C" order by reported_at
  limit ${deliveries_max}`)

export async function readRecord(
  db: Database,
  bodies: Bodies,
  id: string,
): Promise<StoredRecord | undefined> {
  const [[row], deliveries] = await Promise.all([
    db.query<RecordRow>(selectRecord, [id]),
    readDeliveries(db, id),
  ])
  if (row === undefined) return undefined
  const [request = null] = await bodies.open([row.request])
  return { quote: { ...row, request }, deliveries }
}

export function readDeliveries(db: Database, id: string): Promise<readonly DeliveryRow[]> {
  return db.query<DeliveryRow>(selectDeliveries, [id])
}

export interface RequestedRow {
  readonly id: string
  readonly transaction_request_id: string
  readonly transaction_id: string
  readonly payer_fsp: string
  readonly condition: string | null
  readonly created_at: Date
}

// Two lookups in the two indexes that contain only such quotes.
const selectRequested = statement(`
  select distinct on (q.created_at, q.id) q.id, q.transaction_request_id, q.transaction_id, q.payer_fsp,
    q.condition, q.created_at
  from (
    select * from quotes
    where transaction_request_id = any ($1::text[]) and transaction_request_id is not null
    union all
    select * from quotes
    where condition = any ($2::text[]) and transaction_request_id is not null
  ) as q
  order by q.created_at, q.id`)

/** Quotes with a transaction request, by its id or by their condition. */
export function readRequested(
  db: Database,
  transactionRequestIds: readonly string[],
  conditions: readonly string[],
): Promise<readonly RequestedRow[]> {
  const values = [textArray(transactionRequestIds), textArray(conditions)]
  return db.query<RequestedRow>(selectRequested, values)
}
