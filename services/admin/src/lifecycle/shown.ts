/** A request in answers: its head, and under `change` the requested values. */
import { orNull, type Change, type ChangeRecord } from '@causeway/protos'
import { z } from 'zod'
import type { Json } from '../json.ts'
import { shownTime } from '../shapes.ts'

export const shownRequest = z
  .strictObject({
    requestId: z.string(),
    /** The maker's call. */
    type: z.string(),
    state: z.enum(['PEND-APPROVAL', 'APPROVED', 'REJECTED']),
    createdBy: z.string(),
    createdDate: shownTime,
    /** The requested values, with the member names of the maker's call; amounts are strings. */
    change: z.record(z.string(), z.unknown()),
    decidedBy: z.string().nullable(),
    decidedDate: shownTime.nullable(),
    note: z.string(),
  })
  .meta({ id: 'ChangeRequest' })

export function requestBody(record: ChangeRecord) {
  return {
    requestId: record.requestId,
    type: record.type,
    state: record.state,
    createdBy: record.createdBy,
    createdDate: record.createdAt,
    change: record.change === null ? {} : changeBody(record.change),
    decidedBy: orNull(record.decidedBy),
    decidedDate: orNull(record.decidedAt),
    note: record.note,
  } satisfies Json
}

function changeBody(change: Change): { readonly [member: string]: Json } {
  if (change.createParticipant) {
    const { name, type, currencies, accounts, endpoints } = change.createParticipant
    return {
      name,
      type,
      currencies,
      accounts: accounts.map((account) => accountBody(account)),
      endpoints: endpoints.map((endpoint) => ({ ...endpoint })),
    }
  }
  if (change.manageFunds) {
    const { amount, currency, ...rest } = change.manageFunds
    return { ...rest, amount: { amount, currency } }
  }
  if (change.addParticipantAccount) {
    const { participantId } = change.addParticipantAccount
    return { participantId, ...accountBody(change.addParticipantAccount) }
  }
  if (change.updateEndpoints) {
    const { participantId, endpoints } = change.updateEndpoints
    return { participantId, endpoints: endpoints.map((endpoint) => ({ ...endpoint })) }
  }
  return {
    ...change.reserveLiquidityCover,
    ...change.updateParticipantState,
    ...change.updateAccountStatus,
    ...change.updateAccountLimit,
    ...change.updateAccountThreshold,
  }
}

function accountBody({
  ledgerAccountType,
  currency,
  limit,
  alarmPercentage,
}: {
  readonly ledgerAccountType: string
  readonly currency: string
  readonly limit: string
  readonly alarmPercentage: string
}) {
  return {
    ledgerAccountType,
    currency,
    ...(limit === '' ? {} : { limit }),
    ...(alarmPercentage === '' ? {} : { alarmPercentage }),
  }
}
