/** How a party may be identified in a path, type by type. FSPIOP 7.5 (PartyIdType). */
import { type PartyIdType, partyIdType } from './enumerations.ts'

/** What no identifier is or holds: steps of a path, blanks, control characters, what parts addresses. */
const plainPattern = /^(?!\.{1,2}$)[^\s\x00-\x1f\x7f/?{}<>`\\]{1,128}$/u

const patterns: Readonly<Partial<Record<PartyIdType, RegExp>>> = {
  MSISDN: /^\+?\d{1,30}$/,
  EMAIL: /^[^@]+@[^@]+$/,
  IBAN: /^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/,
}

export function isPartyIdType(text: string): text is PartyIdType {
  return partyIdType.safeParse(text).success
}

/** What these types identify (consents, linked accounts) has an FSP, but is no party to look up. */
export function isThirdPartyIdType(type: PartyIdType): boolean {
  return type === 'CONSENT' || type === 'CONSENTS' || type === 'THIRD_PARTY_LINK'
}

/** What is wrong with an identifier of this type, percent-decoded; `undefined` when it is legal. */
export function identifierFault(type: PartyIdType, identifier: string): string | undefined {
  if (!plainPattern.test(identifier)) return 'not a legal PartyIdentifier'
  const pattern = patterns[type]
  return pattern === undefined || pattern.test(identifier) ? undefined : `not a legal ${type}`
}

/** The same for a PartySubIdOrType, which has one rule for all types. */
export function subIdFault(subId: string): string | undefined {
  return plainPattern.test(subId) ? undefined : 'not a legal PartySubIdOrType'
}
