/** How a party may be identified in a path, type by type. FSPIOP 7.5 (PartyIdType). */
import { type PartyIdType, partyIdType } from './enumerations.ts'

/** What no identifier is or contains: a step of a path, a slash, a question mark, control characters. */
const anyPattern = /^(?!\.{1,2}$)[^\x00-\x1f\x7f/?]{1,128}$/u
/** Of the types that have a rule of their own: no blanks and no characters that delimit addresses. */
const plainPattern = /^[^\s{}<>`\\]*$/u

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
  if (!anyPattern.test(identifier)) return 'not a legal PartyIdentifier'
  const pattern = patterns[type]
  if (pattern === undefined) return undefined
  return plainPattern.test(identifier) && pattern.test(identifier)
    ? undefined
    : `not a legal ${type}`
}

/** The same for a PartySubIdOrType, which has one rule for all types. */
export function subIdFault(subId: string): string | undefined {
  return anyPattern.test(subId) ? undefined : 'not a legal PartySubIdOrType'
}
