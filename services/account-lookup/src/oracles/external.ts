/**
 * An oracle of somebody else's: the same questions and changes as the hub's own store takes, each of
 * them a call. What it answered about a party's owners may come from memory.
 */
import type { ExtensionList } from '@causeway/events'
import type { SharedMemory } from '@causeway/runtime'
import { aged } from '../aged.ts'
import { ownersOf, type Association } from '../domain/match.ts'
import { partyKey, partyOfKey, type Party } from '../domain/party.ts'
import type { Owners } from '../lookups/domain/answer.ts'
import { headersOf, partyPath, readFound, readResults, readSaid, type Said } from './contract.ts'
import type { Oracle } from './domain/oracle.ts'
import { OracleFailed } from './failure.ts'
import { openLine, type Line, type LineParts } from './line.ts'
import { openRemembered } from './remembered.ts'

export interface ExternalOracle {
  readonly id: number
  /** From memory alone; undefined says nothing. */
  known(party: Party, currency: string): Owners | undefined
  /** As another process was told not long ago, or asked now. */
  owners(party: Party, currency: string): Promise<Owners>
  /** Asked now, and as it answers: entries of other sub ids may be among them. */
  find(party: Party, currency: string): Promise<readonly Association[]>
  make(request: MakeRequest): Promise<Said>
  /** '' removes whatever there is of the party. */
  remove(party: Party, currency: string, source: string): Promise<Said>
  /** One call for all of them; they are of one type. A party it says nothing about is left out. */
  makeMany(request: MakeManyRequest): Promise<ReadonlyMap<string, Said>>
  forget(party: Party): void
  retire(): void
  close(): Promise<void>
}

export interface MakeRequest {
  readonly party: Party
  readonly currency: string
  readonly fspId: string
  readonly extensionList: ExtensionList | undefined
  /** Whether it stands already. */
  readonly replaces: boolean
}

export interface MakeManyRequest {
  readonly requestId: string
  readonly parties: readonly Party[]
  readonly currency: string
  readonly fspId: string
}

export interface ExternalParts extends Omit<LineParts, 'oracleId'> {
  readonly hubName: string
  readonly shared: SharedMemory
  readonly age_max_ms: number
  readonly entries_max: number
}

export function openExternal(oracle: Oracle, parts: ExternalParts): ExternalOracle {
  const line = openLine({ ...parts, oracleId: oracle.id })
  const calls = callsOver(line, oracle.endpointValue.replace(/(?<!\/)\/+$/, ''), parts.hubName)
  const elsewhere = openRemembered(
    parts.shared,
    `${oracle.id}:${oracle.endpointValue}`,
    parts.age_max_ms,
  )
  const memory = aged<readonly Association[]>({
    ...parts,
    clock: () => performance.now(),
    async load(keys) {
      const answers = await Promise.all(keys.map((key) => calls.find(...questionOf(key))))
      const known = keys.map((key, at) => [key, answers[at] ?? []] as const)
      const found = new Map(known.filter(([, answer]) => answer.length > 0))
      for (const [key, answer] of found) elsewhere.remember(key, answer)
      return found
    },
  })
  /** Answers about one party are kept for each currency in which it was asked for. */
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
        const told = ownersOf(await elsewhere.recall(key), { subId: party.subId, currency })
        if (told.length > 0) return { type: 'FOUND', fspIds: told }
        const associations = (await memory.ask([key])).get(key) ?? []
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
      elsewhere.forget(keys)
    },
    retire() {
      line.retire()
      parts.measures.forget(oracle.id)
    },
    close: () => line.close(),
  }
}

type Calls = Pick<ExternalOracle, 'find' | 'make' | 'remove' | 'makeMany'>

/** Each rejects with OracleFailed. */
function callsOver(line: Line, base: string, hubName: string): Calls {
  const headers = (source: string) => headersOf(source, hubName, new Date())
  return {
    find(party, currency) {
      const url = base + partyPath(party, currency)
      return line.call({ method: 'GET', url, headers: headers(hubName) }, readFound)
    },
    make({ party, currency, fspId, extensionList, replaces }) {
      const method = replaces ? 'PUT' : 'POST'
      const body = json({
        fspId,
        ...optional('currency', currency),
        ...optional('partySubIdOrType', party.subId),
        ...(extensionList === undefined ? {} : { extensionList }),
      })
      const url = base + partyPath(party)
      return line.call({ method, url, headers: headers(fspId), body }, readSaid)
    },
    remove(party, currency, source) {
      const url = base + partyPath(party, currency)
      return line.call({ method: 'DELETE', url, headers: headers(source) }, readSaid)
    },
    makeMany({ requestId, parties, currency, fspId }) {
      const partyList = parties.map(({ type, identifier, subId }) => ({
        partyIdType: type,
        partyIdentifier: identifier,
        ...optional('partySubIdOrType', subId),
        fspId,
      }))
      const body = json({ requestId, partyList, ...optional('currency', currency) })
      const url = `${base}/participants`
      return line.call({ method: 'POST', url, headers: headers(fspId), body }, (answer) =>
        readResults(answer, parties),
      )
    },
  }
}

/** A member that is left out when it is empty. */
function optional(name: string, text: string): Readonly<Record<string, string>> {
  return text === '' ? {} : { [name]: text }
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** A currency has no separator in it either. */
function memoryKey(party: Party, currency: string): string {
  return `${currency}/${partyKey(party)}`
}

function questionOf(key: string): [Party, string] {
  const end = key.indexOf('/')
  return [partyOfKey(key.slice(end + 1)), key.slice(0, end)]
}
