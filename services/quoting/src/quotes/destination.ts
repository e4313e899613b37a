/**
 * Finds the destination of a request: the FSP that the message names, otherwise the FSP of the
 * payee. A lookup that times out refuses only the quotes that need it and delays no others.
 */
import type { Calls } from '@causeway/grpc'
import { isOutage, type Logger } from '@causeway/process'
import type { accountLookupService, OwnerAnswer } from '@causeway/protos'
import { namedDestination, payeeParty, type PayeeParty, type RequestEvent } from './contract.ts'
import type { Destination } from './domain/request.ts'

export interface PartyInCurrency extends PayeeParty {
  readonly currency: string
}

/** The destinations in the order of the parties. */
export type FindOwners = (parties: readonly PartyInCurrency[]) => Promise<readonly Destination[]>

export interface OwnersParts {
  readonly calls: Calls<typeof accountLookupService>
  readonly deadline_ms: number
  readonly log: Logger
}

const unknown: Destination = { type: 'PARTY_UNKNOWN' }
const away: Destination = { type: 'LOOKUP_AWAY' }

export function openOwners({ calls, deadline_ms, log }: OwnersParts): FindOwners {
  return async (parties) => {
    const queries = parties.map(({ type, identifier, subId, currency }) => ({
      partyIdType: type,
      partyIdentifier: identifier,
      currency,
      ...(subId === undefined ? {} : { partySubIdOrType: subId }),
    }))
    try {
      const { answers } = await calls.FindOwners({ queries }, { deadline_ms })
      return parties.map((_party, at) => destinationOf(answers[at]))
    } catch (error) {
      if (!isOutage(error)) throw error
      log.warn({ err: error, quotes: parties.length }, 'no destination found: the lookup failed')
      return parties.map(() => away)
    }
  }
}

function destinationOf(answer: OwnerAnswer | undefined): Destination {
  switch (answer?.outcome) {
    case 'FOUND':
      return { type: 'KNOWN', fspIds: answer.fspIds }
    case 'PARTY_UNKNOWN':
    case 'ORACLE_MISSING':
      return unknown
    case 'ORACLE_AWAY':
      return away
    case undefined:
      throw new Error('account-lookup left a query unanswered')
  }
}

/** undefined: a lookup is needed. */
export function destinationOfMessage(event: RequestEvent): Destination | undefined {
  const named = namedDestination(event)
  if (named !== undefined) return { type: 'KNOWN', fspIds: [named] }
  return payeeParty(event) === undefined ? unknown : undefined
}

/** The destinations of requests that name none, in their order. */
export async function findDestinations(
  findOwners: FindOwners,
  events: readonly RequestEvent[],
): Promise<readonly Destination[]> {
  const parties = events.flatMap((event) => {
    const party = payeeParty(event)
    return party === undefined ? [] : [{ ...party, currency: event.payload.amount.currency }]
  })
  return findOwners(parties)
}
