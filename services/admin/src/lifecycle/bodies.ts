/** The bodies of a maker's calls, and what they request. */
import { formatAmount } from '@causeway/money'
import { z } from 'zod'
import {
  correlationId,
  currency,
  decimalFromZero,
  endpointType,
  endpointValue,
  flag,
  limitType,
  money,
  newParticipantName,
  percentage,
  wholeNumber,
  word,
} from '../fields.ts'

/** Chosen by the maker, so that the same request can be sent again; generated when left out. */
const base = { requestId: correlationId.optional() }
/** Participants are identified by name. */
const participantId = word.min(2).max(30)
const accountId = wholeNumber(1, 2 ** 31 - 1)
const accountType = z.enum([
  'POSITION',
  'SETTLEMENT',
  'INTERCHANGE_FEE',
  'INTERCHANGE_FEE_SETTLEMENT',
  'HUB_RECONCILIATION',
  'HUB_MULTILATERAL_SETTLEMENT',
])
const list_max = 100

const account = {
  ledgerAccountType: accountType,
  currency,
  /** The net debit cap; of a POSITION account only. */
  limit: decimalFromZero.optional(),
  alarmPercentage: percentage.optional(),
}

const endpoints = z
  .array(z.strictObject({ type: endpointType, value: endpointValue }))
  .max(list_max)

export const createParticipant = z.strictObject({
  ...base,
  name: newParticipantName,
  type: z.enum(['DFSP', 'PISP']).optional(),
  currencies: z.array(currency).max(list_max).optional(),
  accounts: z.array(z.strictObject(account)).max(list_max).optional(),
  endpoints: endpoints.optional(),
})

export const manageFunds = z.strictObject({
  ...base,
  participantId,
  accountId,
  direction: z.enum(['DEPOSIT', 'WITHDRAWAL']),
  amount: money,
  externalReference: word,
  reason: word,
})

export const reserveLiquidityCover = z.strictObject({
  ...base,
  participantId,
  currency,
  mode: z.enum(['AMOUNT', 'PERCENT']),
  /** An amount, or 0 to 100 percent of the cover; 0 ends the exclusion. */
  value: decimalFromZero,
})

export const updateParticipantState = z.strictObject({
  ...base,
  participantId,
  newState: word.max(32),
  reason: word,
})

export const addParticipantAccount = z.strictObject({ ...base, participantId, ...account })

export const updateAccountStatus = z.strictObject({
  ...base,
  participantId,
  accountId,
  isActive: flag,
})

export const updateAccountLimit = z.strictObject({
  ...base,
  participantId,
  accountId,
  type: limitType.optional(),
  value: decimalFromZero,
})

export const updateAccountThreshold = z.strictObject({
  ...base,
  participantId,
  accountId,
  alarmPercentage: percentage,
})

export const updateEndpoints = z.strictObject({
  ...base,
  participantId,
  endpoints: endpoints.min(1),
})

export const updateLiquidityCheck = z.strictObject({
  ...base,
  settlementModel: word.min(2).max(30),
  requireLiquidityCheck: flag,
  reason: word,
})

/** A change as the service stores it: with decimal strings for amounts. */
export const contents = {
  CreateParticipant: (body: z.infer<typeof createParticipant>) => {
    const { name, type = 'DFSP', currencies = [], accounts = [], endpoints: given = [] } = body
    return { name, type, currencies, accounts: accounts.map(accountOf), endpoints: given }
  },
  ManageFunds: ({ amount, ...rest }: z.infer<typeof manageFunds>) => ({
    ...rest,
    amount: formatAmount(amount.amount),
    currency: amount.currency,
  }),
  ReserveLiquidityCover: ({ value, ...rest }: z.infer<typeof reserveLiquidityCover>) => ({
    ...rest,
    value: formatAmount(value),
  }),
  UpdateParticipantState: (body: z.infer<typeof updateParticipantState>) => body,
  AddParticipantAccount: (body: z.infer<typeof addParticipantAccount>) => ({
    participantId: body.participantId,
    ...accountOf(body),
  }),
  UpdateAccountStatus: (body: z.infer<typeof updateAccountStatus>) => body,
  UpdateAccountLimit: ({ value, ...rest }: z.infer<typeof updateAccountLimit>) => ({
    ...rest,
    type: 'NET_DEBIT_CAP',
    value: formatAmount(value),
  }),
  UpdateAccountThreshold: (body: z.infer<typeof updateAccountThreshold>) => ({
    ...body,
    alarmPercentage: formatAmount(body.alarmPercentage),
  }),
  UpdateEndpoints: (body: z.infer<typeof updateEndpoints>) => body,
  UpdateLiquidityCheck: (body: z.infer<typeof updateLiquidityCheck>) => body,
}

function accountOf({
  ledgerAccountType,
  currency: of,
  limit,
  alarmPercentage,
}: {
  readonly ledgerAccountType: string
  readonly currency: string
  readonly limit?: bigint | undefined
  readonly alarmPercentage?: bigint | undefined
}) {
  return {
    ledgerAccountType,
    currency: of,
    ...(limit === undefined ? {} : { limit: formatAmount(limit) }),
    ...(alarmPercentage === undefined ? {} : { alarmPercentage: formatAmount(alarmPercentage) }),
  }
}
