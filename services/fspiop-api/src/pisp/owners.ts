/**
 * The owner of a consent: the auth service that has registered it, from account-lookup. Owners are
 * cached; a consent without an owner is queried every time.
 */
import type { GrpcHost } from '@causeway/grpc'
import { isOutage, periodically, readThrough, type Logger } from '@causeway/process'
import { accountLookupService } from '@causeway/protos'

export type ConsentOwner =
  | { readonly type: 'FOUND'; readonly fspId: string }
  /** Not registered, so it is at its DFSP. */
  | { readonly type: 'NONE' }
  /** Unknown, because account-lookup does not answer. */
  | { readonly type: 'UNAVAILABLE' }

export interface ConsentOwners {
  ownerOf(consentId: string): Promise<ConsentOwner>
  stop(): Promise<void>
}

export interface ConsentOwnersParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  readonly age_max_ms: number
}

const consents_max = 10_000

class OwnerUnavailable extends Error {}

export function openConsentOwners({ grpc, log, age_max_ms }: ConsentOwnersParts): ConsentOwners {
  const { FindOwners } = grpc.client(accountLookupService, 'account-lookup')
  const cache = readThrough<string>({
    entries_max: consents_max,
    async load(ids) {
      const queries = ids.map((partyIdentifier) => ({ partyIdType: 'CONSENT', partyIdentifier }))
      const { answers } = await FindOwners({ queries })
      if (answers.some(({ outcome }) => outcome === 'ORACLE_AWAY')) throw new OwnerUnavailable()
      return new Map(
        answers.flatMap(({ fspIds: [owner] }, at) =>
          owner === undefined ? [] : [[ids[at] ?? '', owner] as const],
        ),
      )
    },
  })
  const renewal = periodically(
    age_max_ms,
    () => {
      cache.clear()
      return Promise.resolve()
    },
    { log, name: 'renewal of cached owners of consents' },
  )
  return {
    async ownerOf(consentId) {
      try {
        const fspId = (await cache.get([consentId])).get(consentId)
        return fspId === undefined ? { type: 'NONE' } : { type: 'FOUND', fspId }
      } catch (error) {
        if (error instanceof OwnerUnavailable || isOutage(error)) return { type: 'UNAVAILABLE' }
        throw error
      }
    },
    stop: () => renewal.stop(),
  }
}
