/**
 * Whether the bulk quote of a bulk is one that the payer FSP may rely on. A call that fails by a deadline or by the transport is
 * repeated until it is answered.
 */
import type { Calls } from '@causeway/grpc'
import { retrying, type Logger } from '@causeway/process'
import type { BulkQuote, quotesService } from '@causeway/protos'
import type { BulkRequest, CommonReason } from './domain/bulk.ts'

export interface BulkQuotes {
  /**
   * Why the bulk is refused: the payee FSP has not given this payer FSP such a quote, or it was no longer valid
   * when the bulk was received. undefined as well where quotes are not looked at: quoting stores none, or the
   * scheme does not want it.
   */
  refusalOf(bulk: QuotedBulk): Promise<QuoteRefusal | undefined>
}

export type QuoteRefusal = Extract<CommonReason, 'QUOTE_UNKNOWN' | 'QUOTE_EXPIRED'>

export type QuotedBulk = Pick<BulkRequest, 'bulkQuoteId' | 'payerFsp' | 'payeeFsp' | 'receivedAt'>

export const unquoted: BulkQuotes = { refusalOf: () => Promise.resolve(undefined) }

export function openBulkQuotes(
  calls: Pick<Calls<typeof quotesService>, 'GetBulkQuotes'>,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): BulkQuotes {
  return {
    async refusalOf(bulk) {
      const ask = () => calls.GetBulkQuotes({ bulkQuoteIds: [bulk.bulkQuoteId] })
      const what = 'look a bulk quote up in quoting'
      const { bulkQuotes, noneIsStored } = await retrying(ask, { log, what, signal })
      if (noneIsStored) return undefined
      const accepted = bulkQuotes.find((quote) => isAcceptedFor(quote, bulk))
      if (accepted === undefined) return 'QUOTE_UNKNOWN'
      const isValid = Date.parse(bulk.receivedAt) <= Date.parse(accepted.validUntil ?? '')
      return isValid ? undefined : 'QUOTE_EXPIRED'
    },
  }
}

/** A quote of other FSPs is none that the payer FSP could know of, or that the payee FSP is bound by. */
function isAcceptedFor({ state, payerFsp, payeeFsp }: BulkQuote, bulk: QuotedBulk): boolean {
  return state === 'ACCEPTED' && payerFsp === bulk.payerFsp && payeeFsp === bulk.payeeFsp
}
