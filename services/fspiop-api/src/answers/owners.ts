/**
 * Whether an FSP may answer for a party, from account-lookup: the party belongs to it, or belonged to it
 * until recently. Only a yes is cached; the questions of one turn of the event loop are one call.
 */
import type { GrpcHost } from '@causeway/grpc'
import { isOutage, periodically, readThrough, type Logger } from '@causeway/process'
import { accountLookupService, type OwnerAnswerOutcome } from '@causeway/protos'
import type { PartyName } from './party-path.ts'

export type OwnerAnswer =
  | 'OWNER'
  /** It belongs to other FSPs. */
  | 'OTHERS'
  /** It belongs to no FSP that the hub knows. */
  | 'NONE'
  /** account-lookup, or the oracle, does not answer. */
  | 'UNAVAILABLE'

export interface Owners {
  ownerAnswer(party: PartyName, fspId: string): Promise<OwnerAnswer>
  stop(): Promise<void>
}

export interface OwnersParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  readonly age_max_ms: number
}

const entries_max = 10_000

export function openOwners({ grpc, log, age_max_ms }: OwnersParts): Owners {
  const { FindOwners } = grpc.client(accountLookupService, 'account-lookup')

  async function ask(keys: readonly string[]): Promise<ReadonlyMap<string, OwnerAnswer>> {
    const { answers } = await FindOwners({ queries: keys.map(queryOf) })
    return new Map(
      answers.map(({ outcome, mayAnswer }, at) => {
        const key = keys[at] ?? ''
        return [key, mayAnswer === true ? 'OWNER' : withoutOwner[outcome]]
      }),
    )
  }

  const cache = readThrough<OwnerAnswer>({ entries_max, load: inOneCall(ask) })
  const renewal = periodically(
    age_max_ms,
    () => {
      cache.clear()
      return Promise.resolve()
    },
    { log, name: 'renewal of cached owners of parties' },
  )
  return {
    async ownerAnswer(party, fspId) {
      const key = keyOf(party, fspId)
      try {
        const answer = (await cache.get([key])).get(key) ?? 'NONE'
        if (answer !== 'OWNER') cache.forget(key)
        return answer
      } catch (error) {
        if (isOutage(error)) return 'UNAVAILABLE'
        throw error
      }
    },
    stop: () => renewal.stop(),
  }
}

const withoutOwner = {
  ORACLE_AWAY: 'UNAVAILABLE',
  FOUND: 'OTHERS',
  PARTY_UNKNOWN: 'NONE',
  ORACLE_MISSING: 'NONE',
} as const satisfies Readonly<Record<OwnerAnswerOutcome, OwnerAnswer>>

type Load = (keys: readonly string[]) => Promise<ReadonlyMap<string, OwnerAnswer>>

/** Keys that are asked for in one turn of the event loop share a call. */
function inOneCall(load: Load): Load {
  let waiting: string[] = []
  let next: ReturnType<Load> | undefined
  return (keys) => {
    waiting.push(...keys)
    next ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      const asked = [...new Set(waiting)]
      waiting = []
      next = undefined
      return load(asked)
    })
    return next
  }
}

function keyOf({ partyIdType, partyIdentifier, partySubIdOrType }: PartyName, fspId: string) {
  return [fspId, partyIdType, partyIdentifier, partySubIdOrType ?? ''].join('\n')
}

function queryOf(key: string) {
  const [answeringFspId = '', partyIdType = '', partyIdentifier = '', subId = ''] = key.split('\n')
  const party = { partyIdType, partyIdentifier, answeringFspId }
  return subId === '' ? party : { ...party, partySubIdOrType: subId }
}
