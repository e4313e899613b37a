/**
 * Masks what identifies a person: the last characters of a long identifier remain, so that an operator who
 * knows it can compare. Pure.
 */

const shown = 4
/** Below, the last characters would be too much of it. */
const length_min = 9
const dots = '•••••'

export function maskedIdentifier(identifier: string): string {
  return identifier.length < length_min ? dots : `${dots}${identifier.slice(-shown)}`
}

/** What follows a type of party identifiers, in a path or a key: `MSISDN/22507008181/…`. */
const afterType =
  /\b(MSISDN|EMAIL|PERSONAL_ID|BUSINESS|DEVICE|ACCOUNT_ID|IBAN|ALIAS|CONSENT|THIRD_PARTY_LINK)([/ ])([^\s"'?]+)/g
const email = /[^\s"'<>/@]{1,64}@[^\s"'<>/@]{1,255}/g
/** Of a telephone number or an account; amounts and times have fewer or other characters between. */
const digits = /(?<![\w.:-])\+?\d{8,20}(?![\w.:-])/g

/** In paths and texts of FSPs, as far as identifiers can be recognized. */
export function maskedText(text: string): string {
  return text
    .replace(afterType, (_, type: string, between: string, rest: string) => {
      const [identifier = '', ...more] = rest.split('/')
      return [`${type}${between}${maskedIdentifier(identifier)}`, ...more.map(maskedSubId)].join(
        '/',
      )
    })
    .replace(email, maskedIdentifier)
    .replace(digits, maskedIdentifier)
}

/** `error` is the end of a path of FSPIOP, and no sub-id. */
function maskedSubId(segment: string): string {
  return segment === 'error' || segment === '' ? segment : maskedIdentifier(segment)
}

export function maskedOrNull(text: string | undefined): string | null {
  return text === undefined ? null : maskedText(text)
}
