/**
 * Whether quoting knows the bulk quote of a bulk. A call that fails by a deadline or by the transport is
 * repeated until it is answered.
 */
import type { Calls } from '@causeway/grpc'
import { retrying, type Logger } from '@causeway/process'
import type { quotesService } from '@causeway/protos'

export interface BulkQuotes {
  /** True as well where quotes are not looked at: quoting stores none, or the scheme does not want it. */
  isKnown(bulkQuoteId: string, payerFsp: string): Promise<boolean>
}

export const unquoted: BulkQuotes = { isKnown: () => Promise.resolve(true) }

export function openBulkQuotes(
  calls: Pick<Calls<typeof quotesService>, 'GetBulkQuotes'>,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): BulkQuotes {
  return {
    async isKnown(bulkQuoteId, payerFsp) {
      const ask = () => calls.GetBulkQuotes({ bulkQuoteIds: [bulkQuoteId] })
      const what = 'look a bulk quote up in quoting'
      const { bulkQuotes, noneIsStored } = await retrying(ask, { log, what, signal })
      // Another payer FSP's quote is none that this one could know of.
      return noneIsStored || bulkQuotes.some((quote) => quote.payerFsp === payerFsp)
    },
  }
}
