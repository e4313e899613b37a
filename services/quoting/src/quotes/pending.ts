/**
 * Caches the quotes that this process has claimed, so that the payee FSP's answer is decided
 * without reading them. Claimed data never changes. Only the state may be outdated, and the move
 * detects that, since it only changes pending quotes.
 */
import { LRUCache } from 'lru-cache'
import type { Claimed, Pending } from './domain/quote.ts'
import type { QuoteTables } from './store.ts'

export interface QuoteStore extends QuoteTables {
  /** The quote if it was pending when last seen here; undefined if unknown. */
  lastSeenPending(id: string): (Claimed & Pending) | undefined
}

/** About 10 MB; further quotes are read from the tables. */
const entries_max = 10_000

export function cachePending(tables: QuoteTables): QuoteStore {
  const pending = new LRUCache<string, Claimed & Pending>({ max: entries_max })

  return {
    ...tables,
    async claim(claims, now, buildEvents) {
      const claiming = await tables.claim(claims, now, buildEvents)
      for (const { quote } of claims) {
        const isClaimed = claiming.claimed.has(quote.quoteId)
        if (quote.state === 'PENDING' && isClaimed) pending.set(quote.quoteId, quote)
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
