/**
 * Selects the oracle for parties of a type: a registered one or the hub's own store. The list of
 * registered oracles is cached, with the same maximum age as other answers.
 */
import type { PartyIdType } from '@causeway/fspiop'
import { ttlCache } from '../ttl-cache.ts'
import type { Party } from '../domain/party.ts'
import { builtInEndpoint, selectOracle, type Oracle } from './domain/oracle.ts'
import { openExternal, type ExternalOracle, type ExternalParts } from './external.ts'

export type Chosen =
  | { readonly type: 'BUILT_IN' }
  | { readonly type: 'EXTERNAL'; readonly oracle: ExternalOracle }
  | { readonly type: 'NONE' }

export type Choose = (type: PartyIdType, currency: string) => Chosen

export interface Oracles {
  /** Selects from the registered oracles, as of at most the maximum age ago. */
  chooser(): Promise<Choose>
  /** The registered oracles have changed. */
  changed(): void
  /** Drops the cached answers about the party. */
  forget(party: Party): void
  close(): Promise<void>
}

export interface OraclesParts extends ExternalParts {
  readonly registered: () => Promise<readonly Oracle[]>
  /** Answers if no oracle is registered. */
  readonly otherwise: 'BUILT_IN' | 'NONE'
}

const listKey = 'all'

export function openOracles(parts: OraclesParts): Oracles {
  /** By id and address: an oracle with a new address is a new entry. */
  const externals = new Map<string, ExternalOracle>()
  const memory = ttlCache<readonly Oracle[]>({
    entries_max: 1,
    age_max_ms: parts.age_max_ms,
    clock: () => performance.now(),
    async load() {
      const registered = await parts.registered()
      retireAllBut(registered)
      return new Map([[listKey, registered]])
    },
  })

  function retireAllBut(registered: readonly Oracle[]): void {
    const names = new Set(registered.map(nameOf))
    for (const [name, external] of externals) {
      if (names.has(name)) continue
      externals.delete(name)
      external.retire()
    }
  }

  function externalOf(oracle: Oracle): ExternalOracle {
    const name = nameOf(oracle)
    const open = externals.get(name) ?? openExternal(oracle, parts)
    externals.set(name, open)
    return open
  }

  return {
    async chooser() {
      const registered =
        memory.peek(listKey) ?? (await memory.refresh([listKey])).get(listKey) ?? []
      return (type, currency) => {
        const oracle = selectOracle(registered, type, currency)
        if (oracle === undefined) return { type: parts.otherwise }
        if (oracle.endpointValue === builtInEndpoint) return { type: 'BUILT_IN' }
        return { type: 'EXTERNAL', oracle: externalOf(oracle) }
      }
    },
    changed: () => memory.forget(listKey),
    forget(party) {
      for (const external of externals.values()) external.forget(party)
    },
    async close() {
      await Promise.all([...externals.values()].map((external) => external.close()))
    },
  }
}

function nameOf({ id, endpointValue }: Oracle): string {
  return `${id} ${endpointValue}`
}
