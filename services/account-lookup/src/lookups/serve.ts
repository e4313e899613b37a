/** Serves FindOwners over gRPC. */
import type { Handlers } from '@causeway/grpc'
import { isCurrency } from '@causeway/money'
import type { accountLookupService, OwnerAnswer } from '@causeway/protos'
import { readParty } from '../domain/party.ts'
import type { Owners } from '../domain/owners.ts'
import type { OwnerBook, OwnerQuery } from './owners.ts'

/** To a gRPC caller, an oracle whose circuit is open is away. */
const outcomes = {
  FOUND: 'FOUND',
  PARTY_UNKNOWN: 'PARTY_UNKNOWN',
  ORACLE_MISSING: 'ORACLE_MISSING',
  ORACLE_AWAY: 'ORACLE_AWAY',
  ORACLE_TRIPPED: 'ORACLE_AWAY',
} as const satisfies Record<Owners['type'], OwnerAnswer['outcome']>

/** `wait_ms` bounds how long a caller waits for the oracle of one of its parties. */
export function lookupHandlers(
  owners: Pick<OwnerBook, 'findWithin' | 'mayAnswer'>,
  wait_ms: number,
): Handlers<typeof accountLookupService> {
  return {
    async FindOwners({ queries }) {
      const lookups = queries.map(queryOf)
      const found = await owners.findWithin(lookups, wait_ms)
      const mayAnswer = await answerRights(owners, queries, lookups, found)
      return { answers: found.map((each, at) => answerOf(each, mayAnswer[at])) }
    },
  }
}

/** Undefined where the query names no FSP that answers. */
async function answerRights(
  owners: Pick<OwnerBook, 'mayAnswer'>,
  queries: readonly OwnerQueryMessage[],
  lookups: readonly OwnerQuery[],
  found: readonly Owners[],
): Promise<readonly (boolean | undefined)[]> {
  const rights = queries.map(({ answeringFspId: fspId }, at) => {
    if (fspId === undefined) return undefined
    const owner = found[at]
    return owner?.type === 'FOUND' && owner.fspIds.includes(fspId)
  })
  const others = lookups.flatMap(({ reading }, at) =>
    rights[at] === false && reading.type === 'PARTY'
      ? [{ party: reading.party, fspId: queries[at]?.answeringFspId ?? '', at }]
      : [],
  )
  if (others.length === 0) return rights
  const mayAnswer = await owners.mayAnswer(others)
  for (const [n, { at }] of others.entries()) rights[at] = mayAnswer[n]
  return rights
}

interface OwnerQueryMessage {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly partySubIdOrType?: string | undefined
  readonly currency?: string | undefined
  readonly answeringFspId?: string | undefined
}

/** A party in an invalid currency has no owner. */
function queryOf({ currency, ...name }: OwnerQueryMessage): OwnerQuery {
  if (currency !== undefined && !isCurrency(currency)) {
    return { reading: { type: 'IDENTIFIER_ILLEGAL', detail: 'not a currency' }, currency: '' }
  }
  return { reading: readParty(name), currency: currency ?? '' }
}

function answerOf(owners: Owners, mayAnswer: boolean | undefined): OwnerAnswer {
  return {
    outcome: outcomes[owners.type],
    fspIds: owners.type === 'FOUND' ? [...owners.fspIds] : [],
    ...(mayAnswer === undefined ? {} : { mayAnswer }),
  }
}
