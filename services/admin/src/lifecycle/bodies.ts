/** The bodies of a maker's calls, and the requested changes. */
import { formatAmount } from '@causeway/money'
import type { Change } from '@causeway/protos'
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
  'HUB_FEE',
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

/** The checker's decision. */
export const verdict = z.strictObject({
  requestId: correlationId,
  decision: z.enum(['APPROVE', 'REJECT']),
  note: z
    .string()
    .max(1_024)
    .regex(/^[^\0]*$/)
    .optional(),
})

export const changes = {
  createParticipant: (body: z.infer<typeof createParticipant>): Change => {
    const { name, type = 'DFSP', currencies = [], accounts = [] } = body
    return {
      createParticipant: {
        name,
        type,
        currencies,
        accounts: accounts.map((one) => ({ ...accountOf(one), clientAccountKey: '' })),
        endpoints: body.endpoints ?? [],
      },
    }
  },
  manageFunds: ({ amount, ...rest }: z.infer<typeof manageFunds>): Change => {
    const units = formatAmount(amount.amount)
    return { manageFunds: { ...rest, amount: units, currency: amount.currency } }
  },
  reserveLiquidityCover: ({ value, ...rest }: z.infer<typeof reserveLiquidityCover>): Change => {
    return { reserveLiquidityCover: { ...rest, value: formatAmount(value) } }
  },
  updateParticipantState: (body: z.infer<typeof updateParticipantState>): Change => {
    return { updateParticipantState: body }
  },
  addParticipantAccount: (body: z.infer<typeof addParticipantAccount>): Change => {
    return { addParticipantAccount: { ...accountOf(body), participantId: body.participantId } }
  },
  updateAccountStatus: (body: z.infer<typeof updateAccountStatus>): Change => {
    return { updateAccountStatus: body }
  },
  updateAccountLimit: ({ value, ...rest }: z.infer<typeof updateAccountLimit>): Change => {
    const type = 'NET_DEBIT_CAP'
    return { updateAccountLimit: { ...rest, type, value: formatAmount(value) } }
  },
  updateAccountThreshold: (body: z.infer<typeof updateAccountThreshold>): Change => {
    const alarmPercentage = formatAmount(body.alarmPercentage)
    return { updateAccountThreshold: { ...body, alarmPercentage } }
  },
  updateEndpoints: (body: z.infer<typeof updateEndpoints>): Change => {
    return { updateEndpoints: body }
  },
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
    limit: limit === undefined ? '' : formatAmount(limit),
    alarmPercentage: alarmPercentage === undefined ? '' : formatAmount(alarmPercentage),
  }
}
