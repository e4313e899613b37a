/**
 * Parties: their identifiers in the scheme, and what an FSP discloses about them. FSPIOP 7.4
 * (Party).
 */
import type { Party, PartyIdInfo, PartyIdType, PathParameters } from '@causeway/fspiop'

/** The identifier of a party in the scheme. */
export interface PartyId {
  readonly type: PartyIdType
  readonly id: string
  /** One of several accounts, or the kind of a PERSONAL_ID. */
  readonly subId?: string
}

/** What an FSP discloses about its customer; names are in any script. */
export interface PartyDetails {
  readonly name?: string
  readonly merchantClassificationCode?: string
  readonly personalInfo?: PersonalInfo
}

export interface PersonalInfo {
  readonly complexName?: {
    readonly firstName?: string
    readonly middleName?: string
    readonly lastName?: string
  }
  /** YYYY-MM-DD. */
  readonly dateOfBirth?: string
}

export interface NamedParty extends PartyId, PartyDetails {
  readonly fspId?: string
}

/** The path of a party in /parties and /participants. */
export function partyPath(resource: 'parties' | 'participants', { type, id, subId }: PartyId) {
  const segments = subId === undefined ? [type, id] : [type, id, subId]
  return `/${resource}/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`
}

/** The key of open requests about a party. */
export function partyKey({ type, id, subId }: PartyId): string {
  return subId === undefined ? `${type}/${id}` : `${type}/${id}/${subId}`
}

/** The party in a path. */
export function partyIn({ Type, ID, SubId }: PathParameters): PartyId {
  if (Type === undefined || ID === undefined) throw new Error('the path names no party')
  return { type: Type as PartyIdType, id: ID, ...(SubId === undefined ? {} : { subId: SubId }) }
}

export function writePartyIdInfo(party: PartyId & { readonly fspId?: string | undefined }) {
  const { type, id, subId, fspId } = party
  return {
    partyIdType: type,
    partyIdentifier: id,
    ...(subId === undefined ? {} : { partySubIdOrType: subId }),
    ...(fspId === undefined ? {} : { fspId }),
  }
}

/** The form in messages; `fspId` is the FSP that the party is a customer of. */
export function writeParty(party: NamedParty, fspId: string) {
  const { name, merchantClassificationCode, personalInfo } = party
  return {
    partyIdInfo: writePartyIdInfo({ ...party, fspId }),
    ...(merchantClassificationCode === undefined ? {} : { merchantClassificationCode }),
    ...(name === undefined ? {} : { name }),
    ...(personalInfo === undefined ? {} : { personalInfo }),
  }
}

export function readPartyIdInfo(info: PartyIdInfo): PartyId & { readonly fspId?: string } {
  const { partyIdType: type, partyIdentifier: id, partySubIdOrType: subId, fspId } = info
  return {
    type,
    id,
    ...(subId === undefined ? {} : { subId }),
    ...(fspId === undefined ? {} : { fspId }),
  }
}

export function readParty(party: Party): NamedParty {
  const { name, merchantClassificationCode, personalInfo } = party
  return {
    ...readPartyIdInfo(party.partyIdInfo),
    ...(name === undefined ? {} : { name }),
    ...(merchantClassificationCode === undefined ? {} : { merchantClassificationCode }),
    ...(personalInfo === undefined ? {} : { personalInfo: readPersonalInfo(personalInfo) }),
  }
}

function readPersonalInfo({
  complexName,
  dateOfBirth,
}: NonNullable<Party['personalInfo']>): PersonalInfo {
  const { firstName, middleName, lastName } = complexName ?? {}
  return {
    ...(complexName === undefined
      ? {}
      : {
          complexName: {
            ...(firstName === undefined ? {} : { firstName }),
            ...(middleName === undefined ? {} : { middleName }),
            ...(lastName === undefined ? {} : { lastName }),
          },
        }),
    ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
  }
}
