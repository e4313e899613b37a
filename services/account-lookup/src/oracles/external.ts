/**
 * An external oracle: the same queries and changes as the hub's own store, each of them a call. Its
 * answers about owners may be cached.
 */
import type { ExtensionList } from '@causeway/fspiop'
import type { SharedMemory } from '@causeway/runtime'
import { ttlCache } from '../ttl-cache.ts'
import { ownersOf, type Association } from '../domain/match.ts'
import { partyKey, partyOfKey, type Party } from '../domain/party.ts'
import type { Owners } from '../domain/owners.ts'
import {
  headersOf,
  partyPath,
  readAssociations,
  readBatchResults,
  readChangeResult,
  type ChangeResult,
} from './contract.ts'
import type { Oracle } from './domain/oracle.ts'
import { OracleFailed } from './failure.ts'
import { openOracleClient, type OracleClient, type OracleClientParts } from './oracle-client.ts'

export interface ExternalOracle {
  readonly id: number
  /** From the cache only; undefined if it has no answer. */
  known(party: Party, currency: string): Owners | undefined
  /** From the shared answers of other processes, otherwise from the oracle. */
  owners(party: Party, currency: string): Promise<Owners>
  /** Calls the oracle. Its answer may contain entries of other sub ids. */
  find(party: Party, currency: string): Promise<readonly Association[]>
  associate(request: AssociateRequest): Promise<ChangeResult>
  /** An empty currency removes all associations of the party. */
  remove(party: Party, currency: string, source: string): Promise<ChangeResult>
  /**
   * One call for all parties, which have one type. Parties that the answer does not mention are
   * left out.
   */
  associateMany(request: AssociateManyRequest): Promise<ReadonlyMap<string, ChangeResult>>
  forget(party: Party): void
  retire(): void
  close(): Promise<void>
}

export interface AssociateRequest {
  readonly party: Party
  readonly currency: string
  readonly fspId: string
  readonly extensionList: ExtensionList | undefined
  /** Whether the association exists already. */
  readonly replaces: boolean
}

export interface AssociateManyRequest {
  readonly requestId: string
  readonly parties: readonly Party[]
  readonly currency: string
  readonly fspId: string
}

export interface ExternalParts extends Omit<OracleClientParts, 'oracleId'> {
  readonly hubName: string
  readonly shared: SharedMemory
  readonly age_max_ms: number
  readonly entries_max: number
}

export function openExternal(oracle: Oracle, parts: ExternalParts): ExternalOracle {
  const client = openOracleClient({ ...parts, oracleId: oracle.id })
  const calls = callsOver(client, oracle.endpointValue.replace(/(?<!\/)\/+$/, ''), parts.hubName)
  const sharedAnswers = openSharedAnswers(
    parts.shared,
    `${oracle.id}:${oracle.endpointValue}`,
    parts.age_max_ms,
  )
  const memory = ttlCache<readonly Association[]>({
    ...parts,
    clock: () => performance.now(),
    async load(keys) {
      const answers = await Promise.all(keys.map((key) => calls.find(...questionOf(key))))
      const known = keys.map((key, at) => [key, answers[at] ?? []] as const)
      const found = new Map(known.filter(([, answer]) => answer.length > 0))
      for (const [key, answer] of found) sharedAnswers.remember(key, answer)
      return found
    },
  })
  /** Answers about one party are cached per requested currency. */
  const currencies = new Set<string>()

  return {
    id: oracle.id,
    ...calls,
    known(party, currency) {
      const associations = memory.peek(memoryKey(party, currency)) ?? []
      const fspIds = ownersOf(associations, { subId: party.subId, currency })
      return fspIds.length > 0 ? { type: 'FOUND', fspIds } : undefined
    },
    async owners(party, currency) {
      const key = memoryKey(party, currency)
      currencies.add(currency)
      try {
        const shared = ownersOf(await sharedAnswers.recall(key), { subId: party.subId, currency })
        if (shared.length > 0) return { type: 'FOUND', fspIds: shared }
        const associations = (await memory.refresh([key])).get(key) ?? []
        const fspIds = ownersOf(associations, { subId: party.subId, currency })
        return fspIds.length > 0 ? { type: 'FOUND', fspIds } : { type: 'PARTY_UNKNOWN' }
      } catch (error) {
        if (error instanceof OracleFailed) return { type: error.reason }
        throw error
      }
    },
    forget(party) {
      const keys = [...currencies].map((currency) => memoryKey(party, currency))
      for (const key of keys) memory.forget(key)
      sharedAnswers.forget(keys)
    },
    retire() {
      client.retire()
      parts.measures.forget(oracle.id)
    },
    close: () => client.close(),
  }
}

type Calls = Pick<ExternalOracle, 'find' | 'associate' | 'remove' | 'associateMany'>

/** Each rejects with OracleFailed. */
function callsOver(client: OracleClient, base: string, hubName: string): Calls {
  const headers = (source: string) => headersOf(source, hubName, new Date())
  return {
    find(party, currency) {
      const url = base + partyPath(party, currency)
      return client.call({ method: 'GET', url, headers: headers(hubName) }, readAssociations)
    },
    associate({ party, currency, fspId, extensionList, replaces }) {
      const method = replaces ? 'PUT' : 'POST'
      const body = json({
        fspId,
        ...optional('currency', currency),
        ...optional('partySubIdOrType', party.subId),
        ...(extensionList === undefined ? {} : { extensionList }),
      })
      const url = base + partyPath(party)
      return client.call({ method, url, headers: headers(fspId), body }, readChangeResult)
    },
    remove(party, currency, source) {
      const url = base + partyPath(party, currency)
      return client.call({ method: 'DELETE', url, headers: headers(source) }, readChangeResult)
    },
    associateMany({ requestId, parties, currency, fspId }) {
      const partyList = parties.map(({ type, identifier, subId }) => ({
        partyIdType: type,
        partyIdentifier: identifier,
        ...optional('partySubIdOrType', subId),
        fspId,
      }))
      const body = json({ requestId, partyList, ...optional('currency', currency) })
      const url = `${base}/participants`
      return client.call({ method: 'POST', url, headers: headers(fspId), body }, (answer) =>
        readBatchResults(answer, parties),
      )
    },
  }
}

/** An object with the member, or without it if the text is empty. */
function optional(name: string, text: string): Readonly<Record<string, string>> {
  return text === '' ? {} : { [name]: text }
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** A currency does not contain the separator either. */
function memoryKey(party: Party, currency: string): string {
  return `${currency}/${partyKey(party)}`
}

function questionOf(key: string): [Party, string] {
  const end = key.indexOf('/')
  return [partyOfKey(key.slice(end + 1)), key.slice(0, end)]
}

/**
 * Recent oracle answers that other processes of this service received, which saves a call. An
 * answer is dropped when the party changes here, and expires like any other cached answer.
 */
interface SharedAnswers {
  /** Empty if there is no answer, or none in time. */
  recall(key: string): Promise<readonly Association[]>
  remember(key: string, associations: readonly Association[]): void
  forget(keys: readonly string[]): void
}

/** @param name of the oracle: id and address, so that a new address is a new name */
function openSharedAnswers(shared: SharedMemory, name: string, age_max_ms: number): SharedAnswers {
  const keyOf = (key: string) => `oracle:${name}:${key}`
  return {
    async recall(key) {
      const text = (await shared.recall([keyOf(key)])).get(keyOf(key))
      return text === undefined ? [] : (JSON.parse(text) as readonly Association[])
    },
    remember(key, associations) {
      shared.remember(new Map([[keyOf(key), JSON.stringify(associations)]]), age_max_ms)
    },
    forget: (keys) => shared.forget(keys.map(keyOf)),
  }
}
