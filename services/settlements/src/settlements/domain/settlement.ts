/**
 * The state machine of a settlement and its accounts: each account steps directly to the next state
 * and is never more than one ahead of the settlement, which steps when all its accounts have.
 */

import type { AccountFaultReason, SettlementAccountState, SettlementState } from '@causeway/protos'

export const steps = [
  'PENDING_SETTLEMENT',
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const satisfies readonly SettlementAccountState[]

export type SettlementStep = (typeof steps)[number]
export type AccountState = SettlementAccountState

export interface NetAccount {
  readonly accountId: number
  readonly participantId: number
  readonly participant: string
  readonly currency: string
  readonly state: AccountState
  readonly reason: string
  readonly externalReference: string
  /** Ten-thousandths; above zero: a net sender. */
  readonly net: bigint
}

export interface Settlement {
  readonly id: number
  readonly state: SettlementState
  readonly accounts: readonly NetAccount[]
}

export interface Update {
  readonly participantId: number
  readonly accountId: number
  readonly state: AccountState
  readonly reason: string
  readonly externalReference: string
}

export interface Fault {
  readonly update: Update
  readonly reason: AccountFaultReason
  readonly detail: string
}

/** The change of an account: a new state, or a new reason and reference in the same state. */
export interface AccountChange {
  readonly accountId: number
  readonly state: AccountState
  readonly reason: string
  readonly externalReference: string
}

export type UpdateDecision =
  | { readonly type: 'REFUSE'; readonly detail: string }
  | {
      readonly type: 'CHANGE'
      /** Each account at most once. */
      readonly changes: readonly AccountChange[]
      readonly faults: readonly Fault[]
      readonly state: SettlementState
    }

/** Decides each account independently: a forbidden step is a fault, the others proceed. */
export function decideUpdate(settlement: Settlement, updates: readonly Update[]): UpdateDecision {
  if (settlement.state === 'ABORTED') {
    return { type: 'REFUSE', detail: `settlement ${settlement.id} is ABORTED` }
  }
  const accounts = new Map(settlement.accounts.map((account) => [account.accountId, account]))
  const changes = new Map<number, AccountChange>()
  const faults: Fault[] = []
  for (const update of updates) {
    const fault = changes.has(update.accountId)
      ? fault_(update, 'LISTED_TWICE', `account ${update.accountId} is listed more than once`)
      : faultOf(settlement, accounts.get(update.accountId), update)
    if (fault !== undefined) {
      faults.push(fault)
      continue
    }
    const { accountId, reason, externalReference } = update
    changes.set(accountId, { accountId, state: update.state, reason, externalReference })
  }
  const after = settlement.accounts.map(
    ({ accountId, state }) => changes.get(accountId)?.state ?? state,
  )
  return { type: 'CHANGE', changes: [...changes.values()], faults, state: stateOf(after) }
}

function faultOf(
  settlement: Settlement,
  account: NetAccount | undefined,
  update: Update,
): Fault | undefined {
  const { accountId, participantId } = update
  if (account === undefined) {
    return fault_(update, 'ACCOUNT_UNKNOWN', `the settlement has no account ${accountId}`)
  }
  if (account.participantId !== participantId) {
    const detail = `account ${accountId} is not of participant ${participantId}`
    return fault_(update, 'PARTICIPANT_MISMATCH', detail)
  }
  if (isAllowed(settlement.state, account.state, update.state)) return undefined
  const detail = `account ${accountId} cannot step from ${account.state} to ${update.state}`
  return fault_(update, 'TRANSITION_NOT_ALLOWED', detail)
}

/** Allows the same state again, or the next one if the settlement is in the account's state. */
function isAllowed(settlement: SettlementState, from: AccountState, to: AccountState): boolean {
  const here = indexOf(from)
  if (here < 0) return false
  if (to === from) return true
  return to === steps[here + 1] && here === indexOf(settlement)
}

function fault_(update: Update, reason: AccountFaultReason, detail: string): Fault {
  return { update, reason, detail }
}

/** Of the states of its accounts; a settlement without accounts has nothing to settle. */
export function stateOf(accounts: readonly AccountState[]): SettlementState {
  if (accounts.length === 0) return 'SETTLED'
  if (accounts.some((state) => state === 'ABORTED')) return 'ABORTED'
  const least = Math.min(...new Set(accounts.map(indexOf)))
  const isSettling = least === indexOf('PS_TRANSFERS_COMMITTED') && accounts.includes('SETTLED')
  return isSettling ? 'SETTLING' : (steps[least] ?? 'PENDING_SETTLEMENT')
}

/** SETTLING counts as COMMITTED, ABORTED as -1. */
function indexOf(state: SettlementState): number {
  return state === 'SETTLING'
    ? steps.indexOf('PS_TRANSFERS_COMMITTED')
    : steps.findIndex((step) => step === state)
}

export type AbortDecision =
  | { readonly type: 'REFUSE'; readonly detail: string }
  /** It is already aborted: only the reason changes. */
  | { readonly type: 'REASON' }
  | { readonly type: 'ABORT'; readonly changes: readonly AccountChange[] }

/** Refused once any account is committed. */
export function decideAbort(
  { id, state, accounts }: Settlement,
  { reason, externalReference }: { readonly reason: string; readonly externalReference: string },
): AbortDecision {
  if (state === 'ABORTED') return { type: 'REASON' }
  if (indexOf(state) >= indexOf('PS_TRANSFERS_COMMITTED')) {
    return { type: 'REFUSE', detail: `settlement ${id} is ${state}` }
  }
  const committed = accounts.find(
    (account) => indexOf(account.state) >= indexOf('PS_TRANSFERS_COMMITTED'),
  )
  if (committed !== undefined) {
    const { accountId } = committed
    return { type: 'REFUSE', detail: `account ${accountId} is ${committed.state} already` }
  }
  const changes = accounts.map(({ accountId }): AccountChange => ({
    accountId,
    state: 'ABORTED',
    reason,
    externalReference,
  }))
  return { type: 'ABORT', changes }
}

/** Whether the account has reached the step. */
export function hasReached(state: AccountState, step: SettlementStep): boolean {
  return indexOf(state) >= indexOf(step)
}
