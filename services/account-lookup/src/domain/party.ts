/**
 * A party as it is stored and compared: legal, and in one spelling, whatever the way in which an FSP
 * has written it. FSPIOP 7.3 (PartyIdentifier), 7.5 (PartyIdType).
 */
import { identifierFault, isPartyIdType, subIdFault, type PartyIdType } from '@causeway/fspiop'

export interface Party {
  readonly type: PartyIdType
  /** Of an MSISDN without its "+". */
  readonly identifier: string
  /** Empty: none. */
  readonly subId: string
}

/** As it comes over the wire: any words. */
export interface PartyName {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly partySubIdOrType?: string | undefined
}

export type PartyReading =
  | { readonly type: 'PARTY'; readonly party: Party }
  | { readonly type: 'TYPE_UNKNOWN' }
  | { readonly type: 'IDENTIFIER_ILLEGAL'; readonly detail: string }

/** Both spellings mean the same type. */
const spelledOtherwise: ReadonlyMap<PartyIdType, PartyIdType> = new Map([['CONSENTS', 'CONSENT']])

/** The one spelling of a type; `undefined` when there is no such type. */
export function readType(text: string): PartyIdType | undefined {
  return isPartyIdType(text) ? (spelledOtherwise.get(text) ?? text) : undefined
}

export function readParty(name: PartyName): PartyReading {
  const { partyIdType, partyIdentifier, partySubIdOrType: subId } = name
  const type = readType(partyIdType)
  if (type === undefined) return { type: 'TYPE_UNKNOWN' }
  const detail =
    identifierFault(type, partyIdentifier) ??
    (subId === undefined ? undefined : subIdFault(subId)) ??
    unwritable(partyIdentifier) ??
    unwritable(subId ?? '')
  if (detail !== undefined) return { type: 'IDENTIFIER_ILLEGAL', detail }
  const identifier = type === 'MSISDN' ? partyIdentifier.replace(/^\+/, '') : partyIdentifier
  return { type: 'PARTY', party: { type, identifier, subId: subId ?? '' } }
}

/** The same for the same party; no part of a legal one can hold the separator. */
export function partyKey({ type, identifier, subId }: Party): string {
  return `${type}/${identifier}/${subId}`
}

/** The party of a key. */
export function partyOfKey(key: string): Party {
  const [type = '', identifier = '', subId = ''] = key.split('/')
  return { type: type as PartyIdType, identifier, subId }
}

/** What cannot be a segment of an address: half a character, and what steps out of a folder. */
function unwritable(text: string): string | undefined {
  return /^\.\.?$|\p{Surrogate}/u.test(text) ? 'cannot be written in an address' : undefined
}
