/**
 * The owners of a party: from the cache while fresh, otherwise from the oracle for its type. A
 * party counts as unknown only after the oracle was asked.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ttlCache } from '../ttl-cache.ts'
import { ownersOf, type Association } from '../domain/match.ts'
import { partyKey, partyOfKey, type Party, type PartyReading } from '../domain/party.ts'
import type { LookupMeasures } from '../measures.ts'
import type { ExternalOracle } from '../oracles/external.ts'
import type { Choose, Oracles } from '../oracles/oracles.ts'
import type { Owners } from '../domain/owners.ts'
import type { Answerer, RecentOwners } from './recent-owners.ts'

export interface OwnerQuery {
  readonly reading: PartyReading
  /** Empty: in any currency. */
  readonly currency: string
}

export interface OwnerBook {
  /** In the order of the queries. */
  find(queries: readonly OwnerQuery[]): Promise<readonly Owners[]>
  /**
   * As `find`, but an oracle that takes longer counts as ORACLE_AWAY; its late answer is still
   * cached.
   */
  findWithin(queries: readonly OwnerQuery[], wait_ms: number): Promise<readonly Owners[]>
  /** As `find` without calls of external oracles: undefined where one is needed. */
  findWithoutCalls(queries: readonly OwnerQuery[]): Promise<readonly (Owners | undefined)[]>
  /**
   * Whether the FSPs, which are no owners that `find` returns, may answer for the parties all the same; in
   * the order of the answerers.
   */
  mayAnswer(answerers: readonly Answerer[]): Promise<readonly boolean[]>
  /** Drops the cached entries of the party. */
  forget(party: Party): void
}

export interface OwnerBookParts {
  /** Reads the hub's own store; by party key. */
  readonly stored: (
    parties: readonly Party[],
  ) => Promise<ReadonlyMap<string, readonly Association[]>>
  readonly oracles: Oracles
  readonly recent: RecentOwners
  readonly measures: LookupMeasures
  readonly age_max_ms: number
  readonly entries_max: number
}

interface Question {
  readonly party: Party
  readonly currency: string
}

/** Where the answer comes from. */
type Source =
  | { readonly type: 'KNOWN'; readonly owners: Owners }
  | { readonly type: 'BUILT_IN'; readonly question: Question }
  | {
      readonly type: 'EXTERNAL'
      readonly oracle: ExternalOracle
      readonly question: Question
    }

export function openOwnerBook(parts: OwnerBookParts): OwnerBook {
  const { oracles, recent, measures } = parts
  const store = openStore(parts)

  async function sourcesOf(queries: readonly OwnerQuery[]): Promise<readonly Source[]> {
    if (queries.length === 0) return []
    const choose = await oracles.chooser()
    return queries.map((query) => sourceOf(query, choose))
  }

  /** Answers from the hub's own store and the caches. */
  async function withoutCalls(
    sources: readonly Source[],
  ): Promise<readonly (Owners | undefined)[]> {
    const questions = sources.flatMap((source) =>
      source.type === 'BUILT_IN' ? [source.question] : [],
    )
    const answers = (await store.find(questions)).values()
    return sources.map((source) => {
      switch (source.type) {
        case 'KNOWN':
          return source.owners
        case 'BUILT_IN':
          return answers.next().value ?? partyUnknown
        case 'EXTERNAL':
          return source.oracle.known(source.question.party, source.question.currency)
      }
    })
  }

  async function ownersFromOracle(source: Source): Promise<Owners> {
    if (source.type !== 'EXTERNAL') throw new Error('only an external oracle is called')
    const { party, currency } = source.question
    const owners = await source.oracle.owners(party, currency)
    if (owners.type === 'FOUND') recent.named(party, owners.fspIds)
    return owners
  }

  async function findBy(
    queries: readonly OwnerQuery[],
    call: (source: Source) => Promise<Owners>,
  ): Promise<readonly Owners[]> {
    const sources = await sourcesOf(queries)
    const known = await withoutCalls(sources)
    const found = await Promise.all(sources.map(async (source, at) => known[at] ?? call(source)))
    for (const { type } of found) measures.lookedUp(type)
    return found
  }

  return {
    find: (queries) => findBy(queries, ownersFromOracle),
    findWithin: (queries, wait_ms) =>
      findBy(queries, (source) => within(wait_ms, ownersFromOracle(source))),
    async findWithoutCalls(queries) {
      const found = await withoutCalls(await sourcesOf(queries))
      for (const owners of found) if (owners !== undefined) measures.lookedUp(owners.type)
      return found
    },
    mayAnswer: async (answerers) => recent.include(answerers, await oracles.chooser()),
    forget(party) {
      store.forget(party)
      oracles.forget(party)
    },
  }
}

const partyUnknown: Owners = { type: 'PARTY_UNKNOWN' }

function sourceOf({ reading, currency }: OwnerQuery, choose: Choose): Source {
  if (reading.type === 'TYPE_UNKNOWN') return { type: 'KNOWN', owners: { type: 'ORACLE_MISSING' } }
  if (reading.type !== 'PARTY') return { type: 'KNOWN', owners: partyUnknown }
  const { party } = reading
  const chosen = choose(party.type, currency)
  if (chosen.type === 'NONE') return { type: 'KNOWN', owners: { type: 'ORACLE_MISSING' } }
  return { ...chosen, question: { party, currency } }
}

async function within(wait_ms: number, asked: Promise<Owners>): Promise<Owners> {
  const answered = new AbortController()
  const { signal } = answered
  try {
    return await Promise.race([asked, wait(wait_ms, { type: 'ORACLE_AWAY' } as const, { signal })])
  } finally {
    answered.abort()
  }
}

/** The hub's own store behind its cache: at most one statement for any number of queries. */
function openStore({ stored, age_max_ms, entries_max }: OwnerBookParts) {
  const memory = ttlCache<readonly Association[]>({
    age_max_ms,
    entries_max,
    clock: () => performance.now(),
    load: (keys) => stored(keys.map(partyOfKey)),
  })
  return {
    async find(questions: readonly Question[]): Promise<readonly Owners[]> {
      const keyed = questions.map((question) => ({ key: partyKey(question.party), question }))
      const known = keyed.map(({ key, question }) => ownersAmong(memory.peek(key), question))
      const missing = keyed.filter((_, at) => known[at]?.type !== 'FOUND')
      if (missing.length === 0) return known
      const asked = await memory.refresh(missing.map(({ key }) => key))
      return keyed.map(({ key, question }, at) => {
        const before = known[at]
        return before?.type === 'FOUND' ? before : ownersAmong(asked.get(key), question)
      })
    },
    forget: (party: Party) => memory.forget(partyKey(party)),
  }
}

function ownersAmong(
  associations: readonly Association[] | undefined,
  { party, currency }: Question,
): Owners {
  const fspIds = ownersOf(associations ?? [], { subId: party.subId, currency })
  return fspIds.length > 0 ? { type: 'FOUND', fspIds } : partyUnknown
}
