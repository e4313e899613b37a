/** What quoting says over gRPC of one quote: for the operator. */
import { formatAmount } from '@causeway/money'
import type { QuoteRecord, quotesService } from '@causeway/protos'
import type { Database, Handlers } from '@causeway/runtime'
import { readRecord, type DeliveryRow, type StoredRecord } from './record-store.ts'

export function recordHandlers(db: Database): Handlers<typeof quotesService> {
  return {
    GetQuoteRecord: async ({ id }) => {
      const stored = await readRecord(db, id)
      return { record: stored === undefined ? null : recordOf(stored) }
    },
  }
}

function recordOf({ quote, deliveries }: StoredRecord): QuoteRecord {
  return {
    id: quote.id,
    transactionId: quote.transaction_id,
    payerFsp: quote.payer_fsp,
    payeeFsp: quote.payee_fsp ?? '',
    amountType: quote.amount_type,
    amount: formatAmount(BigInt(quote.amount)),
    currency: quote.currency,
    expiresAt: quote.expires_at.toISOString(),
    createdAt: quote.created_at.toISOString(),
    state: quote.state,
    reason: quote.reason ?? '',
    error: quote.error ?? '',
    ruleId: quote.rule_id ?? '',
    transferAmount:
      quote.transfer_amount === null ? '' : formatAmount(BigInt(quote.transfer_amount)),
    validUntil: quote.valid_until?.toISOString() ?? '',
    completedAt: quote.completed_at?.toISOString() ?? '',
    request: quote.request ?? Buffer.alloc(0),
    deliveries: deliveries.map(deliveryOf),
  }
}

function deliveryOf(row: DeliveryRow) {
  return {
    notificationId: row.notification_id,
    legRole: row.leg_role,
    fspId: row.destination_fsp,
    status: row.status,
    httpStatus: row.http_status ?? 0,
    attempts: row.attempts,
    durationMs: row.duration_ms,
    lastError: row.last_error ?? '',
    reportedAt: row.reported_at.toISOString(),
  }
}
