/**
 * The elements that requests are made of, and the reason for which each is refused: what is absent is
 * MISSING, what is written wrongly is MALFORMED, what has the wrong type, range or name is INVALID.
 */
import {
  endpointTypes,
  isCorrelationId,
  isEndpointType,
  isKid,
  isPartyIdType,
  type EndpointType,
} from '@causeway/fspiop'
import { amountFromJson, isCurrency, parseAmount, UNITS_PER_ONE } from '@causeway/money'
import { z } from 'zod'
import { refused, type RefusedOperation } from './answer.ts'
import { isReason, type Reason } from './contract.ts'
import { numberMember } from './json.ts'

/** A refusal with a reason of its own instead of the one that its kind of fault has. */
function because(reason: Reason, error: string) {
  return { error, params: { reason } }
}

export const currency = z
  .string()
  .refine(isCurrency, because('MALFORMED', 'is no currency code'))
  .meta({ pattern: '^[A-Z]{3}$', description: 'ISO 4217', examples: ['USD'] })

/** `limits` is a path of its own, so no participant can have that name. */
export const newParticipantName = z
  .string()
  .min(2)
  .max(30)
  .regex(/^[A-Za-z0-9_.-]+$/, { error: 'may hold letters, digits, _, . and -' })
  .refine((name) => name !== 'limits', because('INVALID', 'is a reserved name'))

export const limitType = z.literal('NET_DEBIT_CAP')

/** Letters and digits. */
export const modelName = z
  .string()
  .min(2)
  .max(30)
  .regex(/^[A-Za-z0-9]+$/, { error: 'may hold letters and digits' })

function oneOf<const Option extends string>(options: readonly Option[]) {
  return z
    .custom<Option>(
      (sent) => typeof sent === 'string' && (options as readonly string[]).includes(sent),
      because('ACCOUNT_TYPE_UNKNOWN', `must be one of ${options.join(', ')}`),
    )
    .meta({ type: 'string', enum: [...options] })
}

export const hubAccountType = oneOf(['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT'])

export const modelAccountType = oneOf(['POSITION', 'INTERCHANGE_FEE', 'SETTLEMENT'])

export const settlementAccountType = oneOf(['SETTLEMENT', 'INTERCHANGE_FEE_SETTLEMENT'])

/** Text that can be stored and shown: without control characters. */
export const text = z
  .string()
  .refine((text) => !/\p{Cc}/u.test(text), because('MALFORMED', 'holds a control character'))

export const word = text.min(1).max(128)

export const endpointType = z
  .custom<EndpointType>(
    (sent) => typeof sent === 'string' && isEndpointType(sent),
    because('INVALID', 'is no endpoint type'),
  )
  .meta({ type: 'string', enum: [...endpointTypes] })

export const endpointValue = text.meta({
  description:
    'An address, with variables such as {{transferId}}; of e-mail types an e-mail address.',
})

export const oracleType = z
  .string()
  .refine(isPartyIdType, because('MALFORMED', 'is no PartyIdType'))
  .meta({ description: 'A PartyIdType.', examples: ['MSISDN'] })

/** account-lookup knows which addresses an oracle may have. */
export const oracleAddress = text.min(1)

export const keyId = z
  .string()
  .refine(isKid, because('MALFORMED', 'must have 1 to 256 visible ASCII characters'))
  .meta({ minLength: 1, maxLength: 256 })

export const notificationId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, { error: 'must be a UUID in lower case' })

const ruleId = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: 'must have 1 to 64 letters, digits, _, . and -' })

/** Of the years 1 to 9999, the only ones that ISO 8601 writes with four digits; the database has no year 0. */
function isInCalendar(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return year >= 1 && year <= 9_999
}

/** With its offset, because midnight differs between time zones. */
export const time = z.iso
  .datetime({ offset: true, error: 'must be ISO 8601 with its offset' })
  .refine(isInCalendar, { error: 'must be in the years 1 to 9999' })

/** Without offset it is UTC; a day is its midnight. */
export const queryTime = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: 'must be ISO 8601',
  })
  .transform((text) => new Date(/Z|[+-]\d\d:\d\d$/.test(text) ? text : utcOf(text)).toISOString())
  .refine(isInCalendar, { error: 'must be in the years 1 to 9999' })

function utcOf(text: string): string {
  return text.includes('T') ? `${text}Z` : text
}

/** A day, UTC. */
export const queryDay = z.iso.date({ error: 'must be YYYY-MM-DD' })

/** What names a transfer, and what a caller names its own requests by. */
export const correlationId = z
  .string()
  .refine(isCorrelationId, because('MALFORMED', 'must be a UUID in lower case or a ULID'))
  .meta({ description: 'A UUID in lower case, or a ULID.' })

/** Mojaloop's clients send the words as well. */
export const flag = z.union([
  z.boolean(),
  z.enum(['true', 'false']).transform((text) => text === 'true'),
])

const numberAsWritten = z.strictObject({ [numberMember]: z.string() })

/** A JSON number in any form, or a string that `ofText` reads, in ten-thousandths. */
function decimalRead(ofText: (text: string) => bigint | undefined, form = 'number') {
  const read = z.unknown().transform((sent, context): bigint => {
    const number = numberAsWritten.safeParse(sent).data
    const units =
      typeof sent === 'string' ? ofText(sent) : amountFromJson(number?.[numberMember] ?? null)
    if (units !== undefined) return units
    const reason = typeof sent === 'string' || number !== undefined ? 'MALFORMED' : 'INVALID'
    const message = `must be a ${form} of at most 18 digits and four decimals`
    context.addIssue({ code: 'custom', message, params: { reason } })
    return z.NEVER
  })
  return read.meta({
    type: ['number', 'string'],
    description: 'A number, or a string of one; at most 18 digits, of which four decimals.',
  })
}

/** A JSON number or a numeric string. */
export const decimal = decimalRead(amountFromJson)

export const decimalFromZero = decimal.refine(
  (units) => units >= 0n,
  because('INVALID', 'must not be negative'),
)

export const percentage = decimalFromZero.refine(
  (units) => units <= 1_000_000n,
  because('INVALID', 'must not be more than 100'),
)

/** An integer, as a number or a numeric string. */
export function wholeNumber(min: number, max: number) {
  return decimalFromZero
    .refine((units) => isWhole(units) && units >= unitsOf(min) && units <= unitsOf(max), {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform((units) => Number(units / UNITS_PER_ONE))
    .meta({ type: ['integer', 'string'], minimum: min, maximum: max, description: undefined })
}

function isWhole(units: bigint): boolean {
  return units % UNITS_PER_ONE === 0n
}

function unitsOf(whole: number): bigint {
  return BigInt(whole) * UNITS_PER_ONE
}

/** More than nothing; a string has the form of FSPIOP amounts, a number any form. */
export const money = z.strictObject({
  amount: decimalRead(parseAmount, 'number without needless zeros').refine(
    (units) => units > 0n,
    because('INVALID', 'must be more than 0'),
  ),
  currency,
})

export const extensionList = z.strictObject({
  extension: z
    .array(z.strictObject({ key: z.string().min(1).max(32), value: word }))
    .min(1)
    .max(16),
})

/** Where a page of a list begins: the position that the page before it returned. */
export const cursor = text.min(1).max(256)

/** The description of each list without an envelope. */
export const goesOn = 'The header Link has the address of the next page.'

/** How many rows a page has at most. */
export function pageSize(rows_max: number) {
  const isSize = (text: string) => /^[1-9]\d{0,8}$/.test(text) && Number(text) <= rows_max
  return z
    .string()
    .refine(isSize, because('INVALID', `must be a number from 1 to ${rows_max}`))
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: rows_max })
}

const searched_max = 200
const searched_usual = 50

/**
 * The query of each search whose answer has `next`: the time of its rows, which `moment` names, and
 * the page. Times and place are empty when they are left out.
 */
export function searchFields(moment: string) {
  return {
    from: queryTime.optional().meta({ description: `Of the moment ${moment}.` }),
    to: queryTime.optional().meta({ description: 'That moment itself is left out.' }),
    limit: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, { error: `must be a number from 1 to ${searched_max}` })
      .optional()
      .transform((text = String(searched_usual)) => Math.min(Number(text), searched_max))
      .meta({ description: `At most ${searched_max}; ${searched_usual} when it is left out.` }),
    after: cursor.optional().meta({ description: 'The `next` of the page before.' }),
  }
}

const id_max = 2 ** 31 - 1

/** Whole numbers that the hub gives out. */
export const queryNumber = z
  .string()
  .regex(/^[1-9]\d*$/, { error: 'must be a positive integer' })
  .transform(Number)
  .refine((id) => id <= id_max, because('INVALID', 'is too large'))
  .meta({ type: 'integer', minimum: 1, pattern: undefined })

/** What can stand in a path, by the name that it has there. */
export const pathVariables = {
  operator: word,
  role: word,
  sessionId: word,
  name: text.min(2).max(30),
  id: queryNumber,
  kid: keyId,
  serial: z.string().regex(/^[0-9A-Fa-f:]{1,128}$/, { error: 'must be hexadecimal' }),
  notificationId,
  ruleId,
  requestId: correlationId,
  transferId: correlationId,
  bulkTransferId: correlationId,
  bulkQuoteId: correlationId,
  consentId: word,
  credentialId: z.string().regex(/^[\w-]{1,1368}$/, { error: 'must be base64url' }),
  transactionRequestId: word,
  asset: word,
  settlementId: queryNumber,
  boundedContextId: word.max(64),
  participantId: queryNumber,
  accountId: queryNumber,
  day: queryDay,
  reminderId: text.min(1).max(128),
  contentHash: z.string().regex(/^[\da-f]{64}$/, { error: 'must be 64 hexadecimal digits' }),
}

export type Read<Value> = { readonly outcome: 'read'; readonly value: Value } | RefusedOperation

/** Reads what a client sent. Of several faults a missing member is reported, else the first one. */
export function read<Value>(schema: z.ZodType<Value>, sent: unknown): Read<Value> {
  const result = schema.safeParse(sent)
  if (result.success) return { outcome: 'read', value: result.data }
  const faults = result.error.issues.map((issue) => faultOf(issue, sent))
  return faults.find(({ reason }) => reason === 'MISSING') ?? faults[0] ?? refused('INVALID')
}

function faultOf(issue: z.core.$ZodIssue, sent: unknown): RefusedOperation {
  const where = issue.path.join('.') || 'body'
  if (issue.code === 'unrecognized_keys') {
    return refused('INVALID', `unknown member ${[...issue.path, issue.keys[0] ?? ''].join('.')}`)
  }
  if (valueAt(sent, issue.path) === undefined) return refused('MISSING', where)
  return refused(reasonOf(issue), `${where} ${wordsOf(issue)}`)
}

/** The words of the others are in this file, beside what they are about. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value') return issue.message
  return `must be ${issue.values.filter((value) => value !== '').join(' or ')}`
}

function reasonOf(issue: z.core.$ZodIssue): Reason {
  if (issue.code === 'custom') {
    const reason: unknown = issue.params?.['reason']
    return typeof reason === 'string' && isReason(reason) ? reason : 'INVALID'
  }
  if (issue.code === 'invalid_format' || issue.code === 'invalid_value') return 'MALFORMED'
  // The word that says which form the rest has.
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) return 'MALFORMED'
  if (issue.code === 'too_big' && issue.origin === 'array') return 'TOO_MANY'
  return 'INVALID'
}

function valueAt(sent: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<PropertyKey, unknown>>)[name]
        : undefined,
    sent,
  )
}
