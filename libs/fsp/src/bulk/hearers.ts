/** What comes about bulks: an outcome is for whoever has asked, as the payer, or was asked, as the payee. */
import type { Hear, Hearers } from '../inbound.ts'
import { bulkQuotePayeeHearers, type BulkQuotePayeeOptions } from './quote-payee.ts'
import type { BulkQuotePayer } from './quote-payer.ts'
import type { BulkPayee } from './transfer-payee.ts'
import type { BulkPayer } from './transfer-payer.ts'

export interface BulkSides {
  readonly bulkQuotes: BulkQuotePayer
  readonly bulkTransfers: BulkPayer
  readonly payee: BulkPayee
}

export function bulkHearers(
  options: BulkQuotePayeeOptions,
  { bulkQuotes, bulkTransfers, payee }: BulkSides,
): Hearers {
  return {
    ...bulkQuotes.hearers,
    ...bulkQuotePayeeHearers(options),
    'POST /bulkTransfers': (message) => payee.take(message),
    'PUT /bulkTransfers/{ID}': first(bulkTransfers.hearOutcome, payee.hearOutcome),
    'PUT /bulkTransfers/{ID}/error': first(bulkTransfers.hearError, payee.hearError),
  }
}

function first(ofPayer: Hear, ofPayee: Hear): Hear {
  return (message) => {
    const hearing = ofPayer(message)
    return hearing === 'NOT_MINE' ? ofPayee(message) : hearing
  }
}
