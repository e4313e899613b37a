/**
 * The element types of all messages. All are JSON strings, numbers too; patterns are anchored, lengths
 * count characters (code points), and each type has the error code of its refusal.
 *
 * A wrong length is 3100, a wrong format 3101 (`body.ts` maps them); any fault of a name or date of
 * birth is 3100, because clients of this API are tested for that. FSPIOP 7.2, 7.3.
 */
import { isCurrency } from '@causeway/money'
import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import { correlationIdPattern, isCorrelationId, isThirdPartyId } from './ids.ts'

const date =
  '(?:[1-9]\\d{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|' +
  '(?:0[13578]|1[02])-31)|(?:[1-9]\\d(?:0[48]|[2468][048]|[13579][26])|' +
  '(?:[2468][048]|[13579][26])00)-02-29)'
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}(?:Z|[+-][01]\\d:[0-5]\\d)'

const amountPattern = /^(?:0|[1-9]\d{0,17})(?:\.\d{0,3}[1-9])?$/
const datePattern = new RegExp(`^${date}$`)
const dateTimePattern = new RegExp(`^${date}T${time}$`)
const namePattern =
  /^(?!\s*$)[\p{L}\p{gc=Mark}\p{digit}\p{gc=Connector_Punctuation}\p{Join_Control} .,'-]{1,128}$/u
const latitudePattern = /^[+-]?(?:90(?:\.0{1,6})?|(?:\d|[1-8]\d)(?:\.\d{1,6})?)$/
const longitudePattern = /^[+-]?(?:180(?:\.0{1,6})?|(?:\d|[1-9]\d|1[0-7]\d)(?:\.\d{1,6})?)$/
const fspIdPattern = /^(?! )[^\x00-\x1f\x7f]{1,32}(?<! )$/u

function matching(pattern: RegExp, what: string) {
  return z.string().regex(pattern, { error: what })
}

function passing(test: (text: string) => boolean, what: string, errorCode: ErrorCode) {
  return z.string().refine(test, { error: what, params: { errorCode } })
}

function sized(max: number) {
  const schema = passing((text) => hasLength(text, max), `must have 1 to ${max} characters`, '3100')
  return schema.meta({ minLength: 1, maxLength: max })
}

/** Counts code points; a text short enough in UTF-16 units needs no counting. */
function hasLength(text: string, max: number): boolean {
  if (text.length === 0 || text.length > 2 * max) return false
  return text.length <= max || Array.from(text).length <= max
}

/** 1 to 18 digits, at most four decimals, no trailing zero; "0" is legal here. FSPIOP 7.2.13. */
export const amount = matching(amountPattern, 'not a legal Amount')

/** The list of FSPIOP 7.5, widened to ISO 4217. */
export const currency = passing(isCurrency, 'not a known Currency', '3101').meta({
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217',
})

/** A positive integer, written without leading zero. */
export const integer = matching(/^[1-9]\d*$/, 'not a legal Integer')

/** A date that exists. */
export const dateOfBirth = passing(
  (text) => datePattern.test(text),
  'not a legal DateOfBirth',
  '3100',
).meta({ format: 'date' })

/** With milliseconds and time zone, in upper case. FSPIOP 7.2.14. */
export const dateTime = matching(dateTimePattern, 'not a legal DateTime').meta({ id: 'DateTime' })

/** A UUID in lower case, or a ULID. */
export const correlationId = passing(isCorrelationId, 'not a legal CorrelationId', '3101').meta({
  pattern: correlationIdPattern.source,
  description: 'A UUID in lower case, or a ULID',
})

/** The ids of the Third-Party API: a ULID, or the format of a UUID. */
export const thirdPartyId = passing(isThirdPartyId, 'not a legal CorrelationId', '3101').meta({
  description: 'A UUID or a ULID',
})

/** A text that the hub relays and only requires to be present. */
export const anyText = passing((text) => text.length > 0, 'must not be empty', '3100').meta({
  minLength: 1,
})

/** Begins with a scheme; apps have their own schemes. */
export const uri = matching(/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, 'not a legal Uri')

/** An enumeration value that is not checked against a list; the length bound of all enumerations. */
export const anyEnumeration = sized(32)

/** As the element `fspId`, for ids in headers. */
export function isFspId(text: string): boolean {
  return fspIdPattern.test(text)
}

/** 1 to 32 characters, none of them a control character, no blank at either end. */
export const fspId = sized(32).regex(fspIdPattern, { error: 'not a legal FspId' })

/** First, middle and last name, in any script. */
export const name = passing((text) => namePattern.test(text), 'not a legal Name', '3100')

/** Names of businesses have a larger character set than those of people: only the length is checked. */
export const partyName = sized(128)

/** Part of a path, so without "/" and "?". */
export const partyIdentifier = sized(128).regex(/^[^/?]*$/, {
  error: 'not a legal PartyIdentifier',
})

/** As partyIdentifier. */
export const partySubIdOrType = sized(128).regex(/^[^/?]*$/, {
  error: 'not a legal PartySubIdOrType',
})

export const merchantClassificationCode = matching(
  /^\d{1,4}$/,
  'not a legal MerchantClassificationCode',
)
export const note = sized(128)
export const refundReason = sized(128)

/** Any four-digit code, including those of a scheme. */
export const errorCode = matching(/^[1-9]\d{3}$/, 'not a legal ErrorCode')
export const errorDescription = sized(128)
export const extensionKey = sized(32)
export const extensionValue = sized(128)
export const balanceOfPayments = matching(/^[1-9]\d{2}$/, 'not a legal BalanceOfPayments')
export const code = matching(/^[0-9a-zA-Z]{4,32}$/, 'not a legal Code')
export const otpValue = matching(/^\d{3,10}$/, 'not a legal OtpValue')
export const qrCode = sized(64)
export const pinValue = matching(/^\S{1,64}$/u, 'not a legal U2FPIN')

/** Defined by each scheme, never a closed list. */
export const transactionSubScenario = matching(/^[A-Z_]{1,32}$/, 'not a legal SubScenario')

/** 32 bytes as base64url without padding. */
export const ilpCondition = matching(/^[A-Za-z0-9_-]{43}$/, 'not a legal IlpCondition')
export const ilpFulfilment = matching(/^[A-Za-z0-9_-]{43}$/, 'not a legal IlpFulfilment')

/** base64url, padding tolerated, up to 32,768 characters. */
export const ilpPacket = sized(32_768).regex(/^[A-Za-z0-9_-]+={0,2}$/, {
  error: 'not a legal IlpPacket',
})

export const latitude = matching(latitudePattern, 'not a legal Latitude')
export const longitude = matching(longitudePattern, 'not a legal Longitude')
