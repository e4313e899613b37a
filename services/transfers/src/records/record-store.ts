/** What is stored of one transfer, and a search that reads a bounded number of rows for each page. */
import { plainBodies, type Bodies } from '@causeway/keys/months'
import { filedMonthOf, isArchived, statement, textArray, type Database } from '@causeway/postgres'
import type {
  AbortReason,
  KeptMessageKind,
  RefusedMessageReason,
  RefusedMessageState,
  SettlementKind,
  TransferState,
} from '@causeway/protos'
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

export interface SummaryRow {
  readonly id: string
  readonly payer_fsp: string
  readonly payee_fsp: string
  readonly amount: string
  readonly currency: string
  readonly state: TransferState
  readonly reason: AbortReason | null
  readonly received_at: Date
  readonly completed_at: Date | null
}

export interface RecordRow extends SummaryRow {
  readonly expires_at: Date
  readonly condition: string
  readonly fulfilment: string | null
  readonly settlement_model_id: number | null
  readonly settles: SettlementKind | null
  readonly window_id: number | null
  readonly error: string | null
  readonly completed_timestamp: string | null
  /** YYYY-MM of what its FSPs sent, where that is archived. */
  readonly archived_month: string | null
  readonly bulk_id: string | null
}

export interface MessageRow {
  readonly kind: KeptMessageKind
  readonly event_id: string
  readonly received_at: Date | null
  /** Empty: it is erased. */
  readonly body: Buffer
}

export interface RefusedMessageRow {
  readonly kind: KeptMessageKind
  readonly event_id: string
  readonly fsp_id: string
  readonly received_at: Date
  readonly reason: RefusedMessageReason
  readonly state: RefusedMessageState | null
}

export interface ReportedDeliveryRow extends DeliveryRow {
  /** The event that reported it. */
  readonly report: string
}

export interface StoredRecord {
  readonly transfer: RecordRow
  readonly messages: readonly MessageRow[]
  readonly refused: readonly RefusedMessageRow[]
  readonly deliveries: readonly ReportedDeliveryRow[]
}

/** A message that changed nothing. */
export interface RefusedMessage {
  readonly eventId: string
  readonly transferId: string
  readonly kind: KeptMessageKind
  readonly fspId: string
  readonly receivedAt: string
  readonly reason: RefusedMessageReason
  readonly state: RefusedMessageState | undefined
}

export interface RecordStore {
  read(id: string): Promise<StoredRecord | undefined>
  find(id: string): Promise<readonly SummaryRow[]>
  search(search: WalkSearch): Promise<FoundPage<SummaryRow>>
  /** The transfers of that condition that the payer FSP asked for, the oldest first, a few at most. */
  ofCondition(payerFsp: string, condition: string): Promise<readonly string[]>
  activity(seconds: number): Promise<ActivityRow>
}

export interface ActivityRow {
  readonly seconds: number
  readonly received: number
  readonly committed: number
  readonly aborted: number
  /** null when none was committed. */
  readonly latencies_ms: readonly [p50: number, p95: number, p99: number] | null
}

const refused_max = 100
const deliveries_max = 200
const activity_max = 20_000
const ofCondition_max = 10

const summaryColumns = `id, payer_fsp, payee_fsp, amount, currency, state, reason, received_at,
  completed_at`

const selectRecord = statement(`
  select ${summaryColumns}, expires_at, condition, fulfilment, settlement_model_id, settles, window_id,
    error, completed_timestamp, bulk_id,
    case when ${isArchived('messages', 'month')} then to_char(month, 'YYYY-MM') end as archived_month
  from transfers where id = $1::text collate "C"`)

const selectMessages = statement(`
  select kind, event_id::text, received_at, body from messages
  where transfer_id = $1::text collate "C"
  union all
  select kind, event_id::text, received_at, body from bulk_messages
  where bulk_id = (select bulk_id from transfers where id = $1::text collate "C")`)

const selectRefused = statement(`
  select kind, event_id::text, fsp_id, received_at, reason, state from refused_messages
  where transfer_id = $1::text collate "C" order by received_at limit ${refused_max}`)

const selectDeliveries = statement(`
  select notification_id, leg_role, destination_fsp, status, http_status, attempts, duration_ms,
    last_error, reported_at, report
  from deliveries
  where (transfer_id = $1::text collate "C" and report not like 'Bulk%') or (report like 'Bulk%'
    and transfer_id = (select bulk_id from transfers where id = $1::text collate "C"))
  order by reported_at
  limit ${deliveries_max}`)

const selectSummary = statement(`
  select ${summaryColumns} from transfers where id = $1::text collate "C"`)

/** The oldest of a condition: a payee FSP may use one for all of its transfers. */
export const selectOfCondition = statement(`
  select id from transfers
  where condition = $2::text collate "C" and payer_fsp = $1::text collate "C"
  order by condition, received_at limit ${ofCondition_max}`)

const selectActivity = statement(`
  with newest as materialized (
    select received_at, completed_at, state from transfers
    where received_at >= clock_timestamp() - make_interval(secs => $1::integer)
    order by received_at desc limit ${activity_max}
  )
  select
    (case count(*) when ${activity_max}
      then extract(epoch from clock_timestamp() - min(received_at)) else $1::integer end)::float8
      as seconds,
    count(*)::integer as received,
    (count(*) filter (where state = 'COMMITTED'))::integer as committed,
    (count(*) filter (where state = 'ABORTED'))::integer as aborted,
    percentile_disc(array[0.5, 0.95, 0.99]) within group (
      order by extract(epoch from completed_at - received_at)::float8 * 1000
    ) filter (where state = 'COMMITTED') as latencies_ms
  from newest`)

const quiet: ActivityRow = { seconds: 0, received: 0, committed: 0, aborted: 0, latencies_ms: null }

const theBeginning = new Date(0)

/** @param scanned_max rows that one page of a search looks at */
export function openRecordStore(
  db: Database,
  scanned_max = scanned_usual,
  bodies: Bodies = plainBodies,
): RecordStore {
  const walked = {
    table: 'transfers',
    columns: summaryColumns,
    time: 'received_at',
    scanned_max,
  } as const
  const ofAnybody = statement(pageStatement(walked, 'true'))
  const ofAnybodyRefused = statement(pageStatement(walked, 'reason is not null'))
  const ofFsp = statement(pageStatement(walked, ...ofFspConditions))
  return {
    async read(id) {
      const [[transfer], stored, refused, deliveries] = await Promise.all([
        db.query<RecordRow>(selectRecord, [id]),
        db.query<MessageRow>(selectMessages, [id]),
        db.query<RefusedMessageRow>(selectRefused, [id]),
        db.query<ReportedDeliveryRow>(selectDeliveries, [id]),
      ])
      if (transfer === undefined) return undefined
      const opened = await bodies.open(stored.map(({ body }) => body))
      const messages = stored.map((message, at) => ({
        ...message,
        body: opened[at] ?? Buffer.alloc(0),
      }))
      return { transfer, messages, refused, deliveries }
    },
    find: (id) => db.query<SummaryRow>(selectSummary, [id]),
    async search({ fspId, states, from, before, rows_max }) {
      const values = [before.at, before.id, from ?? theBeginning, textArray(states), rows_max]
      const rows =
        fspId === undefined
          ? await db.query<WalkedRow<SummaryRow>>(
              isRefused(states) ? ofAnybodyRefused : ofAnybody,
              values,
            )
          : await db.query<WalkedRow<SummaryRow>>(ofFsp, [...values, fspId])
      return foundIn(rows, rows_max, (row) => row.received_at)
    },
    async ofCondition(payerFsp, condition) {
      const rows = await db.query<{ id: string }>(selectOfCondition, [payerFsp, condition])
      return rows.map(({ id }) => id)
    },
    async activity(seconds) {
      const [row = quiet] = await db.query<ActivityRow>(selectActivity, [seconds])
      return row
    },
  }
}

/** Refused transfers have an index of their own: they are few, and what is looked for most. */
function isRefused(states: readonly string[]): boolean {
  return states.length === 1 && states[0] === 'ABORTED'
}

const storeRefusedStatement = statement(`
  insert into refused_messages (month, event_id, transfer_id, kind, fsp_id, received_at, reason, state)
  select * from unnest($1::text[]::date[], $2::text[]::uuid[], $3::text[], $4::text[], $5::text[],
    $6::text[]::timestamptz[], $7::text[], $8::text[])
  on conflict do nothing`)

/** Keeps messages that changed nothing, once each. */
export async function storeRefused(
  db: Database,
  refusals: readonly RefusedMessage[],
  now: Date,
): Promise<void> {
  if (refusals.length === 0) return
  const texts = (of: (refusal: RefusedMessage) => string | null): Buffer =>
    textArray(refusals.map(of))
  await db.query(storeRefusedStatement, [
    texts(({ receivedAt }) => filedMonthOf(new Date(receivedAt), now)),
    texts(({ eventId }) => eventId),
    texts(({ transferId }) => transferId),
    texts(({ kind }) => kind),
    texts(({ fspId }) => fspId),
    texts(({ receivedAt }) => receivedAt),
    texts(({ reason }) => reason),
    texts(({ state }) => state ?? null),
  ])
}
