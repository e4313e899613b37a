/** Windows and settlements as the settlement API shows them, grouped by participant number. */
import { errorInformation } from '@causeway/fspiop'
import {
  settlementAccountStateValues,
  settlementStateValues,
  settlementWindowStateValues,
  stepEffectSpendingValues,
  windowContentStateValues,
  type AccountFault,
  type Settlement,
  type SettlementAccount,
  type SettlementAccountState,
  type SettlementWindow,
  type StepEffect,
  type WindowContent,
} from '@causeway/protos'
import { z } from 'zod'
import type { Json } from '../json.ts'
import { shownError, shownMoney, shownTime } from '../shapes.ts'
import { unitsOf } from '../upstream.ts'

/**
 * States that a search accepts: other hubs have failed windows, and scripts search for them here
 * too.
 */
export const soughtWindowStates = [...settlementWindowStateValues, 'FAILED'] as const

/** The states that an account can be stepped to, in this order. */
export const accountStates = [
  'PENDING_SETTLEMENT',
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const satisfies readonly SettlementAccountState[]

const shownContent = z.strictObject({
  id: z.int(),
  state: z.enum(windowContentStateValues),
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
    state: z.enum(settlementWindowStateValues),
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
      state: z.enum(settlementAccountStateValues).optional(),
      reason: z.string().optional(),
      externalReference: z.string().optional(),
      /** Above zero: it owes; below zero: it is owed. */
      netSettlementAmount: shownMoney.optional(),
      /** Why the account did not step. */
      errorInformation: shownError.shape.errorInformation.optional(),
    }),
  ),
})

const spending = z.enum(stepEffectSpendingValues)

const shownEffect = z.strictObject({ cover: spending, netDebitCap: spending })

const shownStepEffect = z.strictObject({
  state: z.enum(settlementAccountStateValues).meta({
    description: 'what the accounts step to; ABORTED: after PS_TRANSFERS_RESERVED',
  }),
  owing: shownEffect.meta({ description: 'of participants that owe, by their net amount' }),
  owed: shownEffect.meta({ description: 'of participants that are owed, by their net amount' }),
  awaitsFundsOut: z.boolean().meta({
    description:
      'from this step on, the net amount of participants that owe is excluded from their cover until their funds out are recorded',
  }),
})

export const shownSettlement = z
  .strictObject({
    id: z.int(),
    settlementModel: z.string(),
    state: z.enum(settlementStateValues),
    reason: z.string(),
    createdDate: shownTime,
    changedDate: shownTime,
    settlementWindows: z.array(shownWindow),
    participants: z.array(shownParticipant),
    stepEffects: z.array(shownStepEffect).optional().meta({
      description:
        'whether participants may send LESS or MORE after each step than before, within their cover and within their net debit cap, of which the lower bound applies; absent in lists',
    }),
  })
  .meta({ id: 'Settlement' })

export function windowBody(window: SettlementWindow) {
  return {
    id: window.id,
    settlementWindowId: window.id,
    state: window.state,
    reason: window.explanation,
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
    ...(content.settlementId === undefined ? {} : { settlementId: content.settlementId }),
  } satisfies Json
}

/** With the given accounts only, and those that it does not have. */
export function settlementBody(settlement: Settlement, accounts = settlement.accounts) {
  const { stepEffects, unknownAccounts } = settlement
  const participants = new Map<number, Json[]>()
  const list = (participantId: number, body: Json) => {
    const listed = participants.get(participantId) ?? []
    participants.set(participantId, listed)
    listed.push(body)
  }
  for (const account of accounts) list(account.participantId, accountBody(account))
  for (const { participantId, accountId: id, fault } of unknownAccounts) {
    list(participantId, { id, ...faultBody(fault) })
  }
  return {
    id: settlement.id,
    settlementModel: settlement.model,
    state: settlement.state,
    reason: settlement.explanation,
    createdDate: settlement.createdAt,
    changedDate: settlement.changedAt,
    settlementWindows: settlement.windows.map(windowBody),
    participants: [...participants].map(([id, accounts]) => ({ id, accounts })),
    ...(stepEffects.length === 0 ? {} : { stepEffects: stepEffects.map(effectBody) }),
  } satisfies Json
}

function effectBody(effect: StepEffect) {
  const { state, awaitsFundsOut } = effect
  return {
    state,
    owing: { cover: effect.owingCover, netDebitCap: effect.owingNetDebitCap },
    owed: { cover: effect.owedCover, netDebitCap: effect.owedNetDebitCap },
    awaitsFundsOut,
  } satisfies Json
}

function accountBody(account: SettlementAccount): Json {
  const { externalReference } = account
  return {
    id: account.accountId,
    state: account.state,
    reason: account.explanation,
    ...(externalReference === undefined ? {} : { externalReference }),
    netSettlementAmount: { amount: unitsOf(account.net), currency: account.currency },
    ...faultBody(account.fault),
  }
}

function faultBody(fault: AccountFault | null | undefined) {
  if (!fault) return {}
  const { errorCode, errorDescription } = errorInformation('3000', fault.detail)
  return { errorInformation: { errorCode, errorDescription } }
}
