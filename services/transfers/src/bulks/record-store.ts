/** What is stored of one bulk, a search, and the comparison with the items. */
import { isArchived, statement, textArray, type Database, type Statement } from '@causeway/postgres'
import type {
  AbortReason,
  BulkTransferState,
  BulkTransferSummaryReason,
  TransferState,
} from '@causeway/protos'
import {
  foundIn,
  ofFspConditions,
  pageStatement,
  scanned_usual,
  type FoundPage,
  type WalkSearch,
  type WalkedRow,
} from '@causeway/records'
import type { MessageRow, RefusedMessageRow, ReportedDeliveryRow } from '../records/record-store.ts'

export interface BulkSummaryRow {
  readonly id: string
  readonly bulk_quote_id: string
  readonly payer_fsp: string
  readonly payee_fsp: string
  readonly state: BulkTransferState
  readonly reason: BulkTransferSummaryReason | null
  readonly items: number
  readonly undecided_count: number
  readonly open_count: number
  readonly committed_count: number
  readonly expires_at: Date
  readonly received_at: Date
  readonly completed_at: Date | null
}

export interface BulkItemRow {
  readonly transfer_id: string
  readonly state: TransferState | null
  readonly reason: AbortReason | null
  readonly amount: string | null
  readonly currency: string | null
  readonly is_asked: boolean
}

export interface StoredBulkRecord {
  /** archived_month: YYYY-MM of its messages and deliveries, where these are archived. */
  readonly bulk: BulkSummaryRow & { readonly archived_month: string | null }
  readonly items: readonly BulkItemRow[]
  readonly messages: readonly Omit<MessageRow, 'body'>[]
  readonly refused: readonly RefusedMessageRow[]
  readonly deliveries: readonly ReportedDeliveryRow[]
}

export interface BulkSearch extends WalkSearch {
  /** undefined: of any. */
  readonly bulkQuoteId: string | undefined
}

export interface DifferingBulkRow {
  readonly id: string
  readonly counted: string
  readonly found: string
}

export interface BulkRecordStore {
  read(id: string): Promise<StoredBulkRecord | undefined>
  find(id: string): Promise<readonly BulkSummaryRow[]>
  search(search: BulkSearch): Promise<FoundPage<BulkSummaryRow>>
  /** Bulks whose counts are not those of their items, and how many were compared. */
  verify(): Promise<{ readonly compared: number; readonly differing: readonly DifferingBulkRow[] }>
}

const messages_max = 100
const deliveries_max = 200
/** Bulks that are compared in one statement. */
const compared_max = 200
const differing_max = 1_000

const summaryColumns = `id, bulk_quote_id, payer_fsp, payee_fsp, state, reason,
  cardinality(transfer_ids) as items, undecided_count, open_count, committed_count, expires_at,
  received_at, completed_at`

const selectSummary = statement(`
  select ${summaryColumns} from bulk_transfers where id = $1::text collate "C"`)

const selectBulk = statement(`
  select ${summaryColumns},
    case when ${isArchived('bulk_messages', 'month')} then to_char(month, 'YYYY-MM') end
      as archived_month
  from bulk_transfers where id = $1::text collate "C"`)

const selectItems = statement(`
  select u.id as transfer_id, t.state, t.reason, t.amount, t.currency,
    coalesce(not (u.position - 1)::integer = any (b.left_out), false) as is_asked
  from bulk_transfers b
  cross join lateral (
    select id, position, row_number() over (partition by id order by position) as n
    from unnest(b.transfer_ids) with ordinality as i (id, position)
  ) u
  left join transfers t on t.id = u.id and t.bulk_id = b.id and u.n = 1
  where b.id = $1::text collate "C"
  order by u.position`)

const selectMessages = statement(`
  select kind, event_id::text, received_at from bulk_messages
  where bulk_id = $1::text collate "C" order by received_at limit ${messages_max}`)

const selectRefused = statement(`
  select kind, event_id::text, fsp_id, received_at, reason, state from refused_messages
  where transfer_id = $1::text collate "C" order by received_at limit ${messages_max}`)

const selectDeliveries = statement(`
  select notification_id, leg_role, destination_fsp, status, http_status, attempts, duration_ms,
    last_error, reported_at, report
  from deliveries where transfer_id = $1::text collate "C" and report like 'Bulk%'
  order by reported_at limit ${deliveries_max}`)

// One statement sees a bulk and its items at one moment.
const compareStatement = statement(`
  with page as materialized (
    select id, transfer_ids, undecided_count, open_count, committed_count, completed_at
    from bulk_transfers where id > $1::text collate "C" order by id limit ${compared_max}
  )
  select b.id, b.undecided_count || ' undecided, ' || b.open_count || ' open, '
      || b.committed_count || ' committed' || case when b.completed_at is null then '' else ', final' end
      as counted,
    c.undecided || ' undecided, ' || c.open || ' open, ' || c.committed || ' committed' as found,
    (b.undecided_count, b.open_count, b.committed_count, b.completed_at is not null)
      is distinct from (c.undecided, c.open, c.committed, c.open = 0) as differs
  from page b
  cross join lateral (
    select (count(*) filter (where t.state = 'RECEIVED'))::integer as undecided,
      (count(*) filter (where t.state in ('RECEIVED', 'RESERVED')))::integer as open,
      (count(*) filter (where t.state = 'COMMITTED'))::integer as committed
    from (select distinct unnest(b.transfer_ids) as id) i
    join transfers t on t.id = i.id and t.bulk_id = b.id
  ) c
  order by b.id`)

const theBeginning = new Date(0)

/** @param scanned_max rows that one page of a search looks at */
export function openBulkRecordStore(db: Database, scanned_max = scanned_usual): BulkRecordStore {
  const walked = {
    table: 'bulk_transfers',
    columns: summaryColumns,
    time: 'received_at',
    scanned_max,
  } as const
  const ofAnybody = statement(pageStatement(walked, 'true'))
  const ofFsp = statement(pageStatement(walked, ...ofFspConditions))
  const ofBulkQuote = statement(
    pageStatement(
      walked,
      'bulk_quote_id = $6 and ($7::text is null or $7 in (payer_fsp, payee_fsp))',
    ),
  )
  return {
    async read(id) {
      const [[bulk], items, messages, refused, deliveries] = await Promise.all([
        db.query<StoredBulkRecord['bulk']>(selectBulk, [id]),
        db.query<BulkItemRow>(selectItems, [id]),
        db.query<MessageRow>(selectMessages, [id]),
        db.query<RefusedMessageRow>(selectRefused, [id]),
        db.query<ReportedDeliveryRow>(selectDeliveries, [id]),
      ])
      return bulk === undefined ? undefined : { bulk, items, messages, refused, deliveries }
    },
    find: (id) => db.query<BulkSummaryRow>(selectSummary, [id]),
    async search({ bulkQuoteId, fspId, states, from, before, rows_max }) {
      const start = from ?? theBeginning
      const values = [before.at, before.id, start, textArray(states), rows_max]
      const search = (found: Statement, ...more: readonly (string | null)[]) =>
        db.query<WalkedRow<BulkSummaryRow>>(found, [...values, ...more])
      const rows =
        bulkQuoteId !== undefined
          ? await search(ofBulkQuote, bulkQuoteId, fspId ?? null)
          : fspId === undefined
            ? await search(ofAnybody)
            : await search(ofFsp, fspId)
      return foundIn(rows, rows_max, (row) => row.received_at)
    },
    async verify() {
      const differing: DifferingBulkRow[] = []
      let compared = 0
      let after: string | undefined = ''
      while (after !== undefined && differing.length < differing_max) {
        const rows: readonly (DifferingBulkRow & { readonly differs: boolean })[] = await db.query(
          compareStatement,
          [after],
        )
        compared += rows.length
        differing.push(...rows.filter(({ differs }) => differs))
        after = rows.length < compared_max ? undefined : rows.at(-1)?.id
      }
      return { compared, differing }
    },
  }
}
