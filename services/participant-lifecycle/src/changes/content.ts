/**
 * The contents of changes that two persons make: JSON objects with the member names of the maker's call.
 * Amounts are canonical decimals and currencies are sorted, so equal requests have equal contents.
 */
import { isRefused } from '@causeway/services'
import { parseAmount, parseDecimal } from '@causeway/money'
import { z } from 'zod'
import type { RefusedChange } from '../domain/refusal.ts'
import {
  currencyFault,
  endpointFault,
  newNameFault,
  percentageOf,
} from '../participants/contract.ts'

const text_max = 256
const list_max = 100

/** PostgreSQL stores no text with the character 0. */
const text = z
  .string()
  .max(text_max)
  .regex(/^[^\0]*$/, { error: 'must not have the character 0' })

/** The bounds are those of the direct commands. */
function within<Value>(faultOf: (value: Value) => RefusedChange | undefined) {
  return (value: Value, context: z.RefinementCtx): void => {
    const fault = faultOf(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault.detail })
  }
}

const currency = z.string().superRefine(within(currencyFault))

const amount = z
  .string()
  .refine((sent) => (parseAmount(sent) ?? 0n) > 0n, { error: 'must be a decimal above 0' })

const decimalFromZero = z
  .string()
  .refine((sent) => (parseDecimal(sent) ?? -1n) >= 0n, { error: 'must be a decimal of at least 0' })

const percentage = z.string().refine(isPercentage, { error: 'must be between 0 and 100' })

function isPercentage(sent: string): boolean {
  return !isRefused(percentageOf(sent))
}

const ofParticipant = { participantId: text }
const ofAccount = { ...ofParticipant, accountId: z.int32() }

const account = {
  ledgerAccountType: text,
  currency,
  /** The net debit cap of a POSITION account; absent: none. */
  limit: decimalFromZero.optional(),
  /** Absent: the default. */
  alarmPercentage: percentage.optional(),
}

const endpoint = z
  .strictObject({ type: z.string(), value: z.string() })
  .superRefine(within(({ type, value }) => endpointFault(type, value)))

const endpoints = z
  .array(endpoint)
  .max(list_max)
  .refine((all) => new Set(all.map(({ type }) => type)).size === all.length, {
    error: 'must have one value for each type',
  })

const newParticipant = z
  .strictObject({
    name: z.string(),
    type: z.enum(['DFSP', 'PISP']),
    /** In each of them the accounts of its settlement models are opened. */
    currencies: z.array(currency).max(list_max),
    /** With limits; their currencies become currencies of the participant. */
    accounts: z.array(z.strictObject(account)).max(list_max),
    endpoints,
  })
  .superRefine(within(({ name }) => newNameFault(name)))
  .transform(({ currencies, accounts, ...rest }) => {
    const all = new Set([...currencies, ...accounts.map((one) => one.currency)])
    return { ...rest, currencies: [...all].toSorted(), accounts }
  })
  .refine(({ type, currencies }) => (type === 'DFSP') === currencies.length > 0, {
    error: 'a DFSP has currencies, a PISP has none',
  })
  .refine(({ currencies }) => currencies.length <= list_max, {
    error: `a participant has at most ${list_max} currencies`,
  })

const cover = z
  .strictObject({
    ...ofParticipant,
    currency,
    mode: z.enum(['AMOUNT', 'PERCENT']),
    value: decimalFromZero,
  })
  .refine(({ mode, value }) => mode === 'AMOUNT' || isPercentage(value), {
    error: 'value is at most 100 percent',
  })

const schemas = {
  CreateParticipant: newParticipant,
  ManageFunds: z.strictObject({
    ...ofAccount,
    direction: z.enum(['DEPOSIT', 'WITHDRAWAL']),
    amount,
    currency,
    externalReference: text,
    reason: text,
  }),
  ReserveLiquidityCover: cover,
  UpdateParticipantState: z.strictObject({ ...ofParticipant, newState: text, reason: text }),
  AddParticipantAccount: z.strictObject({ ...ofParticipant, ...account }),
  UpdateAccountStatus: z.strictObject({ ...ofAccount, isActive: z.boolean() }),
  UpdateAccountLimit: z.strictObject({
    ...ofAccount,
    type: z.literal('NET_DEBIT_CAP'),
    value: decimalFromZero,
  }),
  UpdateAccountThreshold: z.strictObject({ ...ofAccount, alarmPercentage: percentage }),
  UpdateEndpoints: z.strictObject({ ...ofParticipant, endpoints: endpoints.min(1) }),
  /** Of a settlement model, so it is about the hub. */
  UpdateLiquidityCheck: z.strictObject({
    settlementModel: text,
    requireLiquidityCheck: z.boolean(),
    reason: text,
  }),
}

/** The maker's call. */
export type ChangeName = keyof typeof schemas
export type ContentOf<Name extends ChangeName> = z.infer<(typeof schemas)[Name]>

export const contents: { readonly [Name in ChangeName]: z.ZodType<ContentOf<Name>> } = schemas

/** The participant that is changed, or the hub. */
export function participantOf(content: ContentOf<ChangeName>, hubName: string): string {
  if ('participantId' in content) return content.participantId
  return 'name' in content ? content.name : hubName
}
