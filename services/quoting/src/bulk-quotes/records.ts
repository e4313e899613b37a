/** Serves bulk quotes over gRPC, for the operator and for transfers. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import type { BulkQuote, BulkQuoteItem, quotesService } from '@causeway/protos'
import { beforeTime, deliveryOf, nextText, placeIn, type FoundPage } from '@causeway/records'
import { itemVerdict, resultsIn } from './domain/item-verdict.ts'
import {
  readBulkRecord,
  readBulks,
  searchBulks,
  type BulkRecordRow,
  type StoredBulkRecord,
} from './record-store.ts'

type BulkRecordHandlers = Pick<
  Handlers<typeof quotesService>,
  'GetBulkQuotes' | 'GetBulkQuoteRecord' | 'SearchBulkQuotes'
>

const page_max = 200

export function bulkRecordHandlers(
  db: Database,
  { isStored, bodies }: { readonly isStored: boolean; readonly bodies: Bodies },
): BulkRecordHandlers {
  return {
    GetBulkQuotes: async ({ bulkQuoteIds }) => {
      const rows = isStored ? await readBulks(db, bulkQuoteIds) : []
      return { bulkQuotes: rows.map(summaryOf), noneIsStored: !isStored }
    },
    GetBulkQuoteRecord: async ({ id }) => {
      const stored = await readBulkRecord(db, bodies, id)
      if (stored === undefined) return { record: null }
      return {
        record: {
          summary: summaryOf(stored.bulk),
          items: itemsOf(stored),
          deliveries: stored.deliveries.map(deliveryOf),
          archivedMonth: stored.archivedMonth ?? undefined,
        },
      }
    },
    SearchBulkQuotes: async ({ id, fspId, states, from, to, limit, after }) => {
      if (id !== undefined)
        return foundMessage({ rows: await readBulks(db, [id]), next: undefined })
      const found = await searchBulks(db, {
        fspId,
        states,
        from: from === undefined ? undefined : new Date(from),
        before: placeIn(after) ?? beforeTime(to),
        rows_max: limit < 1 ? page_max : Math.min(limit, page_max),
      })
      return foundMessage(found)
    },
  }
}

function foundMessage({ rows, next }: FoundPage<BulkRecordRow>) {
  return {
    bulkQuotes: rows.map(summaryOf),
    next: nextText(next),
  }
}

function summaryOf(row: BulkRecordRow): BulkQuote {
  return {
    id: row.id,
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp ?? undefined,
    items: row.items,
    itemsRefused: row.items_refused,
    state: row.state,
    reason: row.reason ?? undefined,
    error: row.error ?? undefined,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    validUntil: row.valid_until?.toISOString(),
    completedAt: row.completed_at?.toISOString(),
  }
}

function itemsOf({ bulk, items, answer }: StoredBulkRecord): BulkQuoteItem[] {
  const results = answer === null ? undefined : resultsIn(answer)
  return items.map(({ quote_id, transaction_id, amount_type, amount, currency, error }) => {
    const verdict = itemVerdict(quote_id, error, bulk, results)
    return {
      quoteId: quote_id,
      transactionId: transaction_id,
      amountType: amount_type,
      amount: formatAmount(BigInt(amount)),
      currency,
      state: verdict.state,
      reason: verdict.reason ?? undefined,
      error: verdict.error ?? undefined,
      transferAmount:
        verdict.transferAmount === null ? undefined : formatAmount(verdict.transferAmount),
    }
  })
}
