/** Handlers of messages that two sides of an FSP receive, each about its own requests. */
import { bulkQuotePayeeHandlers, type BulkQuotePayeeOptions } from './bulk/quote-payee.ts'
import type { BulkQuotePayer } from './bulk/quote-payer.ts'
import type { BulkPayee } from './bulk/transfer-payee.ts'
import type { BulkPayer } from './bulk/transfer-payer.ts'
import type { InboundHandler, InboundHandlers } from './inbound.ts'

export interface BulkSides {
  readonly bulkQuotes: BulkQuotePayer
  readonly bulkTransfers: BulkPayer
  readonly payee: BulkPayee
}

/** An outcome is for a pending request of the payer or of the payee. */
export function bulkHandlers(
  options: BulkQuotePayeeOptions,
  { bulkQuotes, bulkTransfers, payee }: BulkSides,
): InboundHandlers {
  return {
    ...bulkQuotes.handlers,
    ...bulkQuotePayeeHandlers(options),
    'POST /bulkTransfers': (message) => payee.take(message),
    'PUT /bulkTransfers/{ID}': either(bulkTransfers.handleOutcome, payee.handleOutcome),
    'PUT /bulkTransfers/{ID}/error': either(bulkTransfers.handleError, payee.handleError),
  }
}

const aboutConsents = [
  'PUT /consents/{ID}',
  'PATCH /consents/{ID}',
  'PUT /consents/{ID}/error',
] as const

/** The PISP's handler comes first: it knows its consents, and all others are the DFSP's. */
export function thirdPartyHandlers(pisp: InboundHandlers, dfsp: InboundHandlers): InboundHandlers {
  const both = aboutConsents.map((operation) => [
    operation,
    either(pisp[operation], dfsp[operation]),
  ])
  return { ...pisp, ...dfsp, ...(Object.fromEntries(both) as InboundHandlers) }
}

/** The second handles what is not for the first. */
function either(
  first: InboundHandler | undefined,
  second: InboundHandler | undefined,
): InboundHandler {
  return (message) => {
    const handled = first?.(message) ?? 'NOT_MINE'
    return handled === 'NOT_MINE' ? (second?.(message) ?? 'NOT_MINE') : handled
  }
}
