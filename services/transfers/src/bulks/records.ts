/** Serves bulks over gRPC, for the operator and for verify. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { BulkTransferItem, BulkTransferSummary, transfersService } from '@causeway/protos'
import { beforeTime, nextText, placeIn, type FoundPage } from '@causeway/records'
import { refusedOf, reportedDelivery } from '../records/records.ts'
import type { BulkItemRow, BulkRecordStore, BulkSummaryRow } from './record-store.ts'

type BulkRecordHandlers = Pick<
  Handlers<typeof transfersService>,
  'GetBulkTransferRecord' | 'SearchBulkTransfers' | 'VerifyBulkTransfers'
>

const page_max = 200

export function bulkRecordHandlers(records: BulkRecordStore): BulkRecordHandlers {
  return {
    GetBulkTransferRecord: async ({ id }) => {
      const stored = await records.read(id)
      if (stored === undefined) return { record: null }
      const { bulk, items, messages, refused, deliveries } = stored
      return {
        record: {
          summary: summaryOf(bulk),
          items: items.map(itemOf),
          messages: messages.map(({ kind, event_id, received_at }) => ({
            kind,
            eventId: event_id,
            receivedAt: received_at?.toISOString(),
            body: Buffer.alloc(0),
          })),
          refusedMessages: refused.map(refusedOf),
          deliveries: deliveries.map(reportedDelivery),
          archivedMonth: bulk.archived_month ?? undefined,
        },
      }
    },
    SearchBulkTransfers: async ({ id, bulkQuoteId, fspId, states, from, to, limit, after }) => {
      if (id !== undefined) return foundMessage({ rows: await records.find(id), next: undefined })
      const found = await records.search({
        bulkQuoteId,
        fspId,
        states,
        from: from === undefined ? undefined : new Date(from),
        before: placeIn(after) ?? beforeTime(to),
        rows_max: limit < 1 ? page_max : Math.min(limit, page_max),
      })
      return foundMessage(found)
    },
    VerifyBulkTransfers: async () => {
      const { compared, differing } = await records.verify()
      const differences = differing.map(
        ({ id, counted, found }) => `bulk transfer ${id} counts ${counted}; its items are ${found}`,
      )
      return { compared, differences }
    },
  }
}

function foundMessage({ rows, next }: FoundPage<BulkSummaryRow>) {
  return {
    bulkTransfers: rows.map(summaryOf),
    next: nextText(next),
  }
}

function summaryOf(row: BulkSummaryRow): BulkTransferSummary {
  return {
    id: row.id,
    bulkQuoteId: row.bulk_quote_id,
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    state: row.state,
    reason: row.reason ?? undefined,
    items: row.items,
    undecided: row.undecided_count,
    open: row.open_count,
    committed: row.committed_count,
    expiresAt: row.expires_at.toISOString(),
    receivedAt: row.received_at.toISOString(),
    completedAt: row.completed_at?.toISOString(),
  }
}

function itemOf(row: BulkItemRow): BulkTransferItem {
  return {
    transferId: row.transfer_id,
    state: row.state ?? undefined,
    reason: row.reason ?? undefined,
    amount: row.amount === null ? undefined : formatAmount(BigInt(row.amount)),
    currency: row.currency ?? undefined,
    isAsked: row.is_asked,
  }
}
