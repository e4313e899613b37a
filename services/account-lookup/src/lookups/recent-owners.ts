/**
 * The FSPs that may answer for a party because a query about it may have been sent to them: its owners of
 * the last minutes. The store knows those of parties in it, also after a restart; what external oracles
 * have named is remembered here and in the memory that processes share. So an answer of the FSP that was
 * asked counts when the party has moved meanwhile, and when the oracle does not answer any more.
 */
import type { SharedMemory } from '@causeway/runtime'
import { partyKey, type Party } from '../domain/party.ts'
import type { Association } from '../domain/match.ts'
import type { Choose } from '../oracles/oracles.ts'

export interface Answerer {
  readonly party: Party
  readonly fspId: string
}

export interface RecentOwners {
  /** An external oracle has named these owners. */
  named(party: Party, fspIds: readonly string[]): void
  /** Which of them are owners in any currency, or were so recently; in the same order. */
  include(answerers: readonly Answerer[], choose: Choose): Promise<readonly boolean[]>
}

export interface RecentOwnersParts {
  /** The associations of the hub's own store, also those removed after that moment; by party key. */
  readonly storedSince: (
    parties: readonly Party[],
    since: Date,
  ) => Promise<ReadonlyMap<string, readonly Association[]>>
  readonly shared: SharedMemory
  /** How long an FSP may answer after it was the owner. */
  readonly recent_ms: number
  /** Of the memory; an FSP that was named first is forgotten first. */
  readonly entries_max: number
}

export function openRecentOwners(parts: RecentOwnersParts): RecentOwners {
  const { storedSince, shared, recent_ms, entries_max } = parts
  /** When each was named last, the first one first. */
  const namedAt_ms = new Map<string, number>()

  async function inMemory(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const oldest_ms = performance.now() - recent_ms
    const here = keys.filter((key) => (namedAt_ms.get(key) ?? -Infinity) > oldest_ms)
    const others = keys.filter((key) => !here.includes(key))
    return new Set([...here, ...(await shared.recall(others)).keys()])
  }

  return {
    named(party, fspIds) {
      const keys = fspIds.map((fspId) => keyOf({ party, fspId }))
      for (const key of keys) {
        namedAt_ms.delete(key)
        namedAt_ms.set(key, performance.now())
      }
      for (const oldest of namedAt_ms.keys()) {
        if (namedAt_ms.size <= entries_max) break
        namedAt_ms.delete(oldest)
      }
      shared.remember(new Map(keys.map((key) => [key, '1'])), recent_ms)
    },
    async include(answerers, choose) {
      if (answerers.length === 0) return []
      const parties = answerers.map(({ party }) => party)
      const [remembered, stored] = await Promise.all([
        inMemory(answerers.map(keyOf)),
        storedSince(parties, new Date(Date.now() - recent_ms)),
      ])
      return answerers.map((answerer) => {
        const { party, fspId } = answerer
        if (remembered.has(keyOf(answerer))) return true
        const associations = stored.get(partyKey(party)) ?? []
        // Where another oracle answers for a currency, what is stored here for it does not count.
        return associations.some(
          (each) => each.fspId === fspId && choose(party.type, each.currency).type === 'BUILT_IN',
        )
      })
    },
  }
}

function keyOf({ party, fspId }: Answerer): string {
  return `named:${fspId}:${partyKey(party)}`
}
