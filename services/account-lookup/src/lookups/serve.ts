/** Whose parties are, over gRPC. */
import type { accountLookupService, OwnerAnswer } from '@causeway/protos'
import { isCurrency } from '@causeway/money'
import type { Handlers } from '@causeway/runtime'
import { readParty } from '../domain/party.ts'
import type { Owners } from './domain/answer.ts'
import type { OwnerBook, OwnerQuery } from './owners.ts'

/** An oracle that is left alone is away to whoever asks. */
const outcomes = {
  FOUND: 'FOUND',
  PARTY_UNKNOWN: 'PARTY_UNKNOWN',
  ORACLE_MISSING: 'ORACLE_MISSING',
  ORACLE_AWAY: 'ORACLE_AWAY',
  ORACLE_TRIPPED: 'ORACLE_AWAY',
} as const satisfies Record<Owners['type'], string>

/** Nobody who asks for many parties waits longer than that for the oracle of one of them. */
export function lookupHandlers(
  owners: Pick<OwnerBook, 'findWithin'>,
  wait_ms: number,
): Handlers<typeof accountLookupService> {
  return {
    async FindOwners({ queries }) {
      const found = await owners.findWithin(queries.map(queryOf), wait_ms)
      return { answers: found.map(answerOf) }
    },
  }
}

interface Asked {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly partySubIdOrType: string
  readonly currency: string
}

/** Nobody has a party in what is no currency. */
function queryOf({ partySubIdOrType, currency, ...name }: Asked): OwnerQuery {
  if (currency !== '' && !isCurrency(currency)) {
    return { reading: { type: 'IDENTIFIER_ILLEGAL', detail: 'not a currency' }, currency: '' }
  }
  const party = partySubIdOrType === '' ? name : { ...name, partySubIdOrType }
  return { reading: readParty(party), currency }
}

function answerOf(owners: Owners): OwnerAnswer {
  return {
    outcome: outcomes[owners.type],
    fspIds: owners.type === 'FOUND' ? [...owners.fspIds] : [],
  }
}
