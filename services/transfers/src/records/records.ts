/** The operator's gRPC reads: one transfer with its steps, and a search. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { TransferRecord, transfersService, TransferSummary } from '@causeway/protos'
import { beforeTime, deliveryOf, nextText, placeIn, type FoundPage } from '@causeway/records'
import { itemIn } from '../item-body.ts'
import type {
  RecordStore,
  RefusedMessageRow,
  ReportedDeliveryRow,
  StoredRecord,
  SummaryRow,
} from './record-store.ts'

type RecordHandlers = Pick<
  Handlers<typeof transfersService>,
  'GetTransferRecord' | 'SearchTransfers' | 'FindTransfersOfCondition' | 'GetTransferActivity'
>

const page_max = 200
const activity_seconds_max = 60

export function recordHandlers(records: RecordStore): RecordHandlers {
  return {
    GetTransferRecord: async ({ id }) => {
      const stored = await records.read(id)
      return { record: stored === undefined ? null : transferRecord(stored) }
    },
    SearchTransfers: async ({ id, fspId, states, from, to, limit, after }) => {
      if (id !== undefined) return foundMessage({ rows: await records.find(id), next: undefined })
      const found = await records.search({
        fspId,
        states,
        from: from === undefined ? undefined : new Date(from),
        before: placeIn(after) ?? beforeTime(to),
        rows_max: limit < 1 ? page_max : Math.min(limit, page_max),
      })
      return foundMessage(found)
    },
    FindTransfersOfCondition: async ({ payerFsp, condition }) => ({
      ids: [...(await records.ofCondition(payerFsp, condition))],
    }),
    GetTransferActivity: async ({ seconds }) => {
      const asked = Math.min(Math.max(seconds, 1), activity_seconds_max)
      const { latencies_ms, ...counts } = await records.activity(asked)
      const [p50Ms, p95Ms, p99Ms] = latencies_ms ?? []
      const open = counts.received - counts.committed - counts.aborted
      return { ...counts, open, p50Ms, p95Ms, p99Ms }
    },
  }
}

function foundMessage({ rows, next }: FoundPage<SummaryRow>) {
  return {
    transfers: rows.map(summaryOf),
    next: nextText(next),
  }
}

function summaryOf(row: SummaryRow): TransferSummary {
  return {
    id: row.id,
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    amount: formatAmount(BigInt(row.amount)),
    currency: row.currency,
    state: row.state,
    reason: row.reason ?? undefined,
    receivedAt: row.received_at.toISOString(),
    completedAt: row.completed_at?.toISOString(),
  }
}

function transferRecord({ transfer, messages, refused, deliveries }: StoredRecord): TransferRecord {
  return {
    summary: summaryOf(transfer),
    expiresAt: transfer.expires_at.toISOString(),
    condition: transfer.condition,
    fulfilment: transfer.fulfilment ?? undefined,
    settlementModelId: transfer.settlement_model_id ?? undefined,
    settles: transfer.settles ?? undefined,
    windowId: transfer.window_id ?? undefined,
    error: transfer.error ?? undefined,
    completedTimestamp: transfer.completed_timestamp ?? undefined,
    archivedMonth: transfer.archived_month ?? undefined,
    bulkTransferId: transfer.bulk_id ?? undefined,
    messages: messages.map(({ kind, event_id, received_at, body }) => ({
      kind,
      eventId: event_id,
      receivedAt: (kind === 'PREPARE' ? transfer.received_at : received_at)?.toISOString(),
      body: transfer.bulk_id === null ? body : itemIn(body, transfer.id),
    })),
    refusedMessages: refused.map(refusedOf),
    deliveries: deliveries.map(reportedDelivery),
  }
}

export function refusedOf(row: RefusedMessageRow) {
  return {
    kind: row.kind,
    eventId: row.event_id,
    fspId: row.fsp_id,
    receivedAt: row.received_at.toISOString(),
    reason: row.reason,
    state: row.state ?? undefined,
  }
}

/** With the event that reported it. */
export function reportedDelivery(row: ReportedDeliveryRow) {
  return { ...deliveryOf(row), report: row.report }
}
