/** Serves FindOwners over gRPC. */
import type { Handlers } from '@causeway/grpc'
import { isCurrency } from '@causeway/money'
import type { accountLookupService, OwnerAnswer } from '@causeway/protos'
import { readParty } from '../domain/party.ts'
import type { Owners } from './domain/answer.ts'
import type { OwnerBook, OwnerQuery } from './owners.ts'

/** To a gRPC caller, an oracle whose circuit is open is away. */
const outcomes = {
  FOUND: 'FOUND',
  PARTY_UNKNOWN: 'PARTY_UNKNOWN',
  ORACLE_MISSING: 'ORACLE_MISSING',
  ORACLE_AWAY: 'ORACLE_AWAY',
  ORACLE_TRIPPED: 'ORACLE_AWAY',
} as const satisfies Record<Owners['type'], string>

/** `wait_ms` bounds how long a caller waits for the oracle of one of its parties. */
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

/** A party in an invalid currency has no owner. */
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
