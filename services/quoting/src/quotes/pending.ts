/**
 * Quotes as they were claimed here, so that the payee FSP's answer is decided without reading them
 * from the tables again. What was claimed never changes; only the state may be old, and then the move
 * finds it, for it moves nothing but what is pending.
 */
import type { Claimed, Pending } from './domain/quote.ts'
import type { QuoteTables } from './store.ts'

export interface QuoteStore extends QuoteTables {
  /** Pending when it was last seen here; undefined says nothing. */
  lastSeenPending(id: string): (Claimed & Pending) | undefined
}

/** More have to be read from the tables: about 10 MB. */
const entries_max = 10_000

export function rememberPending(tables: QuoteTables): QuoteStore {
  const pending = new Map<string, Claimed & Pending>()

  function remember(quote: Claimed & Pending): void {
    pending.set(quote.quoteId, quote)
    const [oldest] = pending.keys()
    if (pending.size > entries_max && oldest !== undefined) pending.delete(oldest)
  }

  return {
    ...tables,
    async claim(claims, now, say) {
      const claiming = await tables.claim(claims, now, say)
      for (const { quote } of claims) {
        if (quote.state === 'PENDING' && claiming.claimed.has(quote.quoteId)) remember(quote)
      }
      return claiming
    },
    async move(changes, now, say) {
      const movement = await tables.move(changes, now, say)
      for (const { quote } of changes) pending.delete(quote.quoteId)
      return movement
    },
    lastSeenPending: (id) => pending.get(id),
  }
}
