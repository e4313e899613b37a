/**
 * A party as it is stored and compared: valid, and in one canonical spelling. FSPIOP 7.3
 * (PartyIdentifier), 7.5 (PartyIdType).
 */
import { identifierFault, isPartyIdType, subIdFault, type PartyIdType } from '@causeway/fspiop'

export interface Party {
  readonly type: PartyIdType
  /** An MSISDN without its "+". */
  readonly identifier: string
  /** Empty: none. */
  readonly subId: string
}

/** As received: unchecked text. */
export interface PartyName {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly partySubIdOrType?: string | undefined
}

export type PartyReading =
  | { readonly type: 'PARTY'; readonly party: Party }
  | { readonly type: 'TYPE_UNKNOWN' }
  | { readonly type: 'IDENTIFIER_ILLEGAL'; readonly detail: string }

/** Alternative spellings of a type. */
const aliases: ReadonlyMap<PartyIdType, PartyIdType> = new Map([['CONSENTS', 'CONSENT']])

/** The canonical spelling of a type; `undefined` if the type does not exist. */
export function readType(text: string): PartyIdType | undefined {
  return isPartyIdType(text) ? (aliases.get(text) ?? text) : undefined
}

export function readParty(name: PartyName): PartyReading {
  const { partyIdType, partyIdentifier, partySubIdOrType: subId } = name
  const type = readType(partyIdType)
  if (type === undefined) return { type: 'TYPE_UNKNOWN' }
  const detail =
    identifierFault(type, partyIdentifier) ??
    (subId === undefined ? undefined : subIdFault(subId)) ??
    addressFault(partyIdentifier) ??
    addressFault(subId ?? '')
  if (detail !== undefined) return { type: 'IDENTIFIER_ILLEGAL', detail }
  const identifier = type === 'MSISDN' ? partyIdentifier.replace(/^\+/, '') : partyIdentifier
  return { type: 'PARTY', party: { type, identifier, subId: subId ?? '' } }
}

/** Equal for equal parties; no valid part contains the separator. */
export function partyKey({ type, identifier, subId }: Party): string {
  return `${type}/${identifier}/${subId}`
}

/** The party of a key. */
export function partyOfKey(key: string): Party {
  const [type = '', identifier = '', subId = ''] = key.split('/')
  return { type: type as PartyIdType, identifier, subId }
}

/** Finds text that cannot be a path segment: lone surrogates, "." and "..". */
function addressFault(text: string): string | undefined {
  return /^\.\.?$|\p{Surrogate}/u.test(text) ? 'cannot be part of a URL' : undefined
}
