/** Serves bulks over gRPC, for the operator and for verify. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import {
  present,
  type BulkTransferItem,
  type BulkTransferSummary,
  type transfersService,
} from '@causeway/protos'
import { beforeTime, nextText, placeIn, type Found } from '@causeway/records'
import { refusedOf, reportedDelivery, timeOf } from '../records.ts'
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
            receivedAt: received_at?.toISOString() ?? '',
            body: Buffer.alloc(0),
          })),
          refusedMessages: refused.map(refusedOf),
          deliveries: deliveries.map(reportedDelivery),
          ...present({ archivedMonth: bulk.archived_month }),
        },
      }
    },
    SearchBulkTransfers: async ({ id, bulkQuoteId, fspId, states, from, to, limit, after }) => {
      if (id !== '') return foundMessage({ rows: await records.find(id), next: undefined })
      const found = await records.search({
        bulkQuoteId: bulkQuoteId === '' ? undefined : bulkQuoteId,
        fspId: fspId === '' ? undefined : fspId,
        states,
        from: timeOf(from),
        before: placeIn(after) ?? beforeTime(timeOf(to)),
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

function foundMessage({ rows, next }: Found<BulkSummaryRow>) {
  return {
    bulkTransfers: rows.map(summaryOf),
    ...present({ next: nextText(next) }),
  }
}

function summaryOf(row: BulkSummaryRow): BulkTransferSummary {
  return {
    id: row.id,
    bulkQuoteId: row.bulk_quote_id,
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    state: row.state,
    reason: row.reason ?? '',
    items: row.items,
    undecided: row.undecided_count,
    open: row.open_count,
    committed: row.committed_count,
    expiresAt: row.expires_at.toISOString(),
    receivedAt: row.received_at.toISOString(),
    ...present({ completedAt: row.completed_at?.toISOString() }),
  }
}

function itemOf(row: BulkItemRow): BulkTransferItem {
  return {
    transferId: row.transfer_id,
    ...present({ state: row.state }),
    reason: row.reason ?? '',
    amount: row.amount === null ? '' : formatAmount(BigInt(row.amount)),
    currency: row.currency ?? '',
    isAsked: row.is_asked,
  }
}
