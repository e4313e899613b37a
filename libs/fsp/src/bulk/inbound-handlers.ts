/** Handlers of messages about bulks: an outcome is for a pending request of the payer or of the payee. */
import type { InboundHandler, InboundHandlers } from '../inbound.ts'
import { bulkQuotePayeeHandlers, type BulkQuotePayeeOptions } from './quote-payee.ts'
import type { BulkQuotePayer } from './quote-payer.ts'
import type { BulkPayee } from './transfer-payee.ts'
import type { BulkPayer } from './transfer-payer.ts'

export interface BulkSides {
  readonly bulkQuotes: BulkQuotePayer
  readonly bulkTransfers: BulkPayer
  readonly payee: BulkPayee
}

export function bulkHandlers(
  options: BulkQuotePayeeOptions,
  { bulkQuotes, bulkTransfers, payee }: BulkSides,
): InboundHandlers {
  return {
    ...bulkQuotes.handlers,
    ...bulkQuotePayeeHandlers(options),
    'POST /bulkTransfers': (message) => payee.take(message),
    'PUT /bulkTransfers/{ID}': first(bulkTransfers.handleOutcome, payee.handleOutcome),
    'PUT /bulkTransfers/{ID}/error': first(bulkTransfers.handleError, payee.handleError),
  }
}

function first(ofPayer: InboundHandler, ofPayee: InboundHandler): InboundHandler {
  return (message) => {
    const handled = ofPayer(message)
    return handled === 'NOT_MINE' ? ofPayee(message) : handled
  }
}
