/** The path of a party, and the operation of a path with or without sub id. */
import type { Operation, PathParameters } from '@causeway/fspiop'

export interface PartyName {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly partySubIdOrType?: string | undefined
}

/** The business id of a party, which is the key of its events. */
function partyKeyOf(party: PartyName): string {
  return segments(party).join('/')
}

export function partyOf({ Type, ID, SubId }: PathParameters) {
  if (Type === undefined || ID === undefined) throw new Error('the route has no party')
  const name = {
    partyIdType: Type,
    partyIdentifier: ID,
    ...(SubId === undefined ? {} : { partySubIdOrType: SubId }),
  }
  return { partyKey: partyKeyOf(name), ...name }
}

/** The operation and path of a callback about a party, and the variables of the registered address. */
export function callbackOf(
  resource: 'parties' | 'participants',
  isError: boolean,
  party: PartyName,
): {
  readonly operation: Operation
  readonly path: string
  readonly variables: Readonly<Record<string, string>>
} {
  const { partyIdType, partyIdentifier, partySubIdOrType } = party
  const error = isError ? '/error' : ''
  const subId = partySubIdOrType === undefined ? '' : '/{SubId}'
  return {
    operation: `PUT /${resource}/{Type}/{ID}${subId}${error}` as Operation,
    path: `/${resource}/${segments(party).join('/')}${error}`,
    variables: {
      partyIdType,
      partyIdentifier,
      ...(partySubIdOrType === undefined ? {} : { partySubIdOrType }),
    },
  }
}

function segments({ partyIdType, partyIdentifier, partySubIdOrType }: PartyName): string[] {
  const parts = [partyIdType, partyIdentifier]
  if (partySubIdOrType !== undefined) parts.push(partySubIdOrType)
  return parts.map((part) => encodeURIComponent(part))
}
