/** Windows and settlements as the settlement API shows them, grouped by participant number. */
import { errorInformation } from '@causeway/fspiop'
import type {
  AccountFault,
  Settlement,
  SettlementAccount,
  SettlementWindow,
  WindowContent,
} from '@causeway/protos'
import { z } from 'zod'
import type { Json } from '../json.ts'
import { shownError, shownMoney, shownTime } from '../shapes.ts'
import { unitsOf } from '../upstream.ts'

const windowStates = [
  'OPEN',
  'PROCESSING',
  'CLOSED',
  'PENDING_SETTLEMENT',
  'SETTLED',
  'ABORTED',
] as const

/**
 * States that a search accepts: other hubs have failed windows, and scripts search for them here
 * too.
 */
export const soughtWindowStates = [...windowStates, 'FAILED'] as const

/** The states that an account can be stepped to, in this order. */
export const accountStates = [
  'PENDING_SETTLEMENT',
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const

export const settlementStates = [...accountStates, 'SETTLING', 'ABORTED'] as const

const shownContent = z.strictObject({
  id: z.int(),
  state: z.enum(windowStates),
  ledgerAccountType: z.string(),
  currencyId: z.string(),
  createdDate: shownTime,
  changedDate: shownTime,
  /** The last settlement that included it. */
  settlementId: z.int().optional(),
})

export const shownWindow = z
  .strictObject({
    /** The number of the window under both of the names that clients look for. */
    id: z.int(),
    settlementWindowId: z.int(),
    state: z.enum(windowStates),
    reason: z.string(),
    createdDate: shownTime,
    changedDate: shownTime,
    content: z.array(shownContent),
  })
  .meta({ id: 'SettlementWindow' })

const shownParticipant = z.strictObject({
  /** Its number. */
  id: z.int(),
  accounts: z.array(
    z.strictObject({
      id: z.int(),
      state: z.enum(settlementStates).optional(),
      reason: z.string().optional(),
      externalReference: z.string().optional(),
      /** Above zero: it owes; below zero: it is owed. */
      netSettlementAmount: shownMoney.optional(),
      /** Why the account did not step. */
      errorInformation: shownError.shape.errorInformation.optional(),
    }),
  ),
})

export const shownSettlement = z
  .strictObject({
    id: z.int(),
    settlementModel: z.string(),
    state: z.enum(settlementStates),
    reason: z.string(),
    createdDate: shownTime,
    changedDate: shownTime,
    settlementWindows: z.array(shownWindow),
    participants: z.array(shownParticipant),
  })
  .meta({ id: 'Settlement' })

export function windowBody(window: SettlementWindow) {
  return {
    id: window.id,
    settlementWindowId: window.id,
    state: window.state,
    reason: window.reason,
    createdDate: window.createdAt,
    changedDate: window.changedAt,
    content: window.contents.map(contentBody),
  } satisfies Json
}

function contentBody(content: WindowContent) {
  return {
    id: content.id,
    state: content.state,
    ledgerAccountType: content.ledgerAccountType,
    currencyId: content.currency,
    createdDate: content.createdAt,
    changedDate: content.changedAt,
    ...(content.settlementId === 0 ? {} : { settlementId: content.settlementId }),
  } satisfies Json
}

/** With the given accounts only. */
export function settlementBody(settlement: Settlement, accounts = settlement.accounts) {
  const participants = new Map<number, Json[]>()
  for (const account of accounts) {
    const listed = participants.get(account.participantId) ?? []
    participants.set(account.participantId, listed)
    listed.push(accountBody(account))
  }
  return {
    id: settlement.id,
    settlementModel: settlement.model,
    state: settlement.state,
    reason: settlement.reason,
    createdDate: settlement.createdAt,
    changedDate: settlement.changedAt,
    settlementWindows: settlement.windows.map(windowBody),
    participants: [...participants].map(([id, accounts]) => ({ id, accounts })),
  } satisfies Json
}

/** An account that the settlement does not have is shown with the error only. */
function accountBody(account: SettlementAccount): Json {
  const fault = account.fault ? { errorInformation: faultBody(account.fault) } : {}
  if (account.currency === '') return { id: account.accountId, ...fault }
  return {
    id: account.accountId,
    state: account.state,
    reason: account.reason,
    ...(account.externalReference === '' ? {} : { externalReference: account.externalReference }),
    netSettlementAmount: { amount: unitsOf(account.net), currency: account.currency },
    ...fault,
  }
}

function faultBody({ detail }: AccountFault) {
  const { errorCode, errorDescription } = errorInformation('3000', detail)
  return { errorCode, errorDescription }
}
