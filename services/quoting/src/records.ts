/** Serves quotes and bulk quotes over gRPC. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import { plainBodies, type Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import type { QuoteRecord, quotesService, RequestedQuote } from '@causeway/protos'
import { deliveryOf } from '@causeway/records'
import { readItemRecord } from './bulk-quotes/record-store.ts'
import { bulkRecordHandlers } from './bulk-quotes/records.ts'
import { personHandlers } from './person.ts'
import {
  readRecord,
  readRequested,
  type RequestedRow,
  type StoredRecord,
} from './quotes/record-store.ts'

const asked_max = 5_000

export function recordHandlers(
  db: Database,
  { isStored, bodies = plainBodies }: { readonly isStored: boolean; readonly bodies?: Bodies },
): Handlers<typeof quotesService> {
  return {
    GetQuoteRecord: async ({ id }) => {
      const stored = (await readRecord(db, bodies, id)) ?? (await readItemRecord(db, bodies, id))
      return { record: stored === undefined ? null : recordOf(stored) }
    },
    ...bulkRecordHandlers(db, { isStored, bodies }),
    ...personHandlers(db, bodies),
    FindRequestedQuotes: async ({ transactionRequestIds, conditions }) => {
      if (transactionRequestIds.length + conditions.length > asked_max) {
        throw new RangeError(`at most ${asked_max} quotes per request`)
      }
      const rows = await readRequested(db, transactionRequestIds, conditions)
      return { quotes: rows.map(requestedOf) }
    },
  }
}

function recordOf({ quote, deliveries }: StoredRecord): QuoteRecord {
  return {
    id: quote.id,
    transactionId: quote.transaction_id,
    payerFsp: quote.payer_fsp,
    payeeFsp: quote.payee_fsp ?? undefined,
    amountType: quote.amount_type,
    amount: formatAmount(BigInt(quote.amount)),
    currency: quote.currency,
    expiresAt: quote.expires_at.toISOString(),
    createdAt: quote.created_at.toISOString(),
    state: quote.state,
    reason: quote.reason ?? undefined,
    error: quote.error ?? undefined,
    ruleId: quote.rule_id ?? undefined,
    transferAmount:
      quote.transfer_amount === null ? undefined : formatAmount(BigInt(quote.transfer_amount)),
    validUntil: quote.valid_until?.toISOString(),
    completedAt: quote.completed_at?.toISOString(),
    request: quote.request ?? undefined,
    deliveries: deliveries.map(deliveryOf),
    transactionRequestId: quote.transaction_request_id ?? undefined,
    bulkQuoteId: quote.bulk_quote_id ?? undefined,
  }
}

function requestedOf(row: RequestedRow): RequestedQuote {
  return {
    id: row.id,
    transactionRequestId: row.transaction_request_id,
    transactionId: row.transaction_id,
    payerFsp: row.payer_fsp,
    createdAt: row.created_at.toISOString(),
    condition: row.condition ?? undefined,
  }
}
