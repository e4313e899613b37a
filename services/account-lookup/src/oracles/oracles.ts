/**
 * Who is asked about parties of a type: an oracle that is registered for it, or the hub's own store.
 * What is registered is known from memory, at most as old as any other answer of it.
 */
import type { PartyIdType } from '@causeway/fspiop'
import { aged } from '../aged.ts'
import type { Party } from '../domain/party.ts'
import { builtInEndpoint, selectOracle, type Oracle } from './domain/oracle.ts'
import { openExternal, type ExternalOracle, type ExternalParts } from './external.ts'

export type Chosen =
  | { readonly type: 'BUILT_IN' }
  | { readonly type: 'EXTERNAL'; readonly oracle: ExternalOracle }
  | { readonly type: 'NONE' }

export type Choose = (type: PartyIdType, currency: string) => Chosen

export interface Oracles {
  /** By what is registered now, give or take the age that an answer may have. */
  chooser(): Promise<Choose>
  /** What is registered has changed. */
  changed(): void
  /** Something about the party has changed. */
  forget(party: Party): void
  close(): Promise<void>
}

export interface OraclesParts extends ExternalParts {
  readonly registered: () => Promise<readonly Oracle[]>
  /** What answers where no oracle is registered. */
  readonly otherwise: 'BUILT_IN' | 'NONE'
}

const theList = 'all'

export function openOracles(parts: OraclesParts): Oracles {
  /** By id and address: one that has moved is another one. */
  const externals = new Map<string, ExternalOracle>()
  const memory = aged<readonly Oracle[]>({
    entries_max: 1,
    age_max_ms: parts.age_max_ms,
    clock: () => performance.now(),
    async load() {
      const registered = await parts.registered()
      retireAllBut(registered)
      return new Map([[theList, registered]])
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
      const registered = memory.peek(theList) ?? (await memory.ask([theList])).get(theList) ?? []
      return (type, currency) => {
        const oracle = selectOracle(registered, type, currency)
        if (oracle === undefined) return { type: parts.otherwise }
        if (oracle.endpointValue === builtInEndpoint) return { type: 'BUILT_IN' }
        return { type: 'EXTERNAL', oracle: externalOf(oracle) }
      }
    },
    changed: () => memory.forget(theList),
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
