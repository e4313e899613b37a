/** The identifiers of parties in a path, by type. FSPIOP 7.5 (PartyIdType). */
import { type PartyIdType, partyIdType } from './bodies/enumerations.ts'

/**
 * No identifier is "." or "..", or "error", which ends the path of an error callback; none contains a slash,
 * a question mark or control characters.
 */
const anyPattern = /^(?!(?:\.{1,2}|error)$)[^\x00-\x1f\x7f/?]{1,128}$/u
/** For types with their own rule: no white space and no delimiters of URLs. */
const plainPattern = /^[^\s{}<>`\\]*$/u

const patterns: Readonly<Partial<Record<PartyIdType, RegExp>>> = {
  MSISDN: /^\+?\d{1,30}$/,
  EMAIL: /^[^@]+@[^@]+$/,
  IBAN: /^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/,
}

export function isPartyIdType(text: string): text is PartyIdType {
  return partyIdType.safeParse(text).success
}

/** These types identify consents and linked accounts, which have an FSP but are not parties. */
export function isThirdPartyIdType(type: PartyIdType): boolean {
  return type === 'CONSENT' || type === 'CONSENTS' || type === 'THIRD_PARTY_LINK'
}

/** The fault of an identifier of this type, percent-decoded; `undefined` when it is legal. */
export function identifierFault(type: PartyIdType, identifier: string): string | undefined {
  if (!anyPattern.test(identifier)) return 'not a legal PartyIdentifier'
  const pattern = patterns[type]
  if (pattern === undefined) return undefined
  return plainPattern.test(identifier) && pattern.test(identifier)
    ? undefined
    : `not a legal ${type}`
}

/** The same for a PartySubIdOrType; one rule applies to all types. */
export function subIdFault(subId: string): string | undefined {
  return anyPattern.test(subId) ? undefined : 'not a legal PartySubIdOrType'
}
