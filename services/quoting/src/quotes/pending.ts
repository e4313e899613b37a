/**
 * Caches the quotes that this process has claimed, so that the payee FSP's answer is decided
 * without reading them. Claimed data never changes. Only the state may be outdated, and the move
 * detects that, since it only changes pending quotes.
 */
import type { Claimed, Pending } from './domain/quote.ts'
import type { QuoteTables } from './store.ts'

export interface QuoteStore extends QuoteTables {
  /** The quote if it was pending when last seen here; undefined if unknown. */
  lastSeenPending(id: string): (Claimed & Pending) | undefined
}

/** About 10 MB; further quotes are read from the tables. */
const entries_max = 10_000

export function cachePending(tables: QuoteTables): QuoteStore {
  const pending = new Map<string, Claimed & Pending>()

  function remember(quote: Claimed & Pending): void {
    pending.set(quote.quoteId, quote)
    const [oldest] = pending.keys()
    if (pending.size > entries_max && oldest !== undefined) pending.delete(oldest)
  }

  return {
    ...tables,
    async claim(claims, now, buildEvents) {
      const claiming = await tables.claim(claims, now, buildEvents)
      for (const { quote } of claims) {
        if (quote.state === 'PENDING' && claiming.claimed.has(quote.quoteId)) remember(quote)
      }
      return claiming
    },
    async move(changes, now, buildEvents) {
      const movement = await tables.move(changes, now, buildEvents)
      for (const { quote } of changes) pending.delete(quote.quoteId)
      return movement
    },
    lastSeenPending: (id) => pending.get(id),
  }
}
