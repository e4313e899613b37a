/**
 * What each step of a settlement changes in what its participants may send. It is derived from the
 * movements of the step, so it holds for every model.
 */
import type { StepEffectSpending } from '@causeway/protos'
import {
  committingIn,
  grossMovements,
  netMovements,
  pairMovements,
  type AccountRef,
  type Movement,
  type Rules,
  type Stepping,
} from './movements.ts'
import type { NetAccount, AccountState } from './settlement.ts'

/** Of each bound of what a participant may send; the lower bound applies. */
export interface Effect {
  readonly cover: StepEffectSpending
  readonly netDebitCap: StepEffectSpending
}

export interface StepEffect {
  /** The state that the accounts step to; ABORTED: from PS_TRANSFERS_RESERVED. */
  readonly state: AccountState
  /** On a net sender. */
  readonly owing: Effect
  /** On a net recipient. */
  readonly owed: Effect
  /** The amount of a net sender becomes due: it is no cover until its funds out are recorded. */
  readonly awaitsFundsOut: boolean
}

/** Each step, from which state to which. */
const steps = [
  ['PENDING_SETTLEMENT', 'PS_TRANSFERS_RECORDED'],
  ['PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED'],
  ['PS_TRANSFERS_RESERVED', 'PS_TRANSFERS_COMMITTED'],
  ['PS_TRANSFERS_COMMITTED', 'SETTLED'],
  ['PS_TRANSFERS_RESERVED', 'ABORTED'],
] as const satisfies readonly (readonly [AccountState, AccountState])[]

const currency = 'XXX'
const owing = { accountId: 1, participantId: 1, participant: 'owing', currency, net: 1n }
const owed = { accountId: 2, participantId: 2, participant: 'owed', currency, net: -1n }

/**
 * The effect of each step, once all accounts have taken it, on participants without interchange
 * fees of other settlements.
 *
 * @param coverType the account type that covers the payments of the currency
 */
export function effectsOf(rules: Rules, coverType: string): readonly StepEffect[] {
  return steps.map(([from, state]) => {
    const movements = movementsOf(rules, from, state)
    // Only the cover on SETTLEMENT accounts is reduced by what is unpaid.
    const unpaid =
      coverType === 'SETTLEMENT' ? movements.filter(({ awaitsFundsOut }) => awaitsFundsOut) : []
    const excluded = sum(unpaid.map(({ amount }) => amount))
    const ofOwing = debitsOf(owing.participant, movements)
    const ofOwed = debitsOf(owed.participant, movements)
    const fees = ofOwing('INTERCHANGE_FEE')
    return {
      state,
      owing: effectOf(ofOwing('POSITION'), fees + ofOwing(coverType) + excluded),
      // Fees that a participant is owed are not cover.
      owed: effectOf(ofOwed('POSITION'), ofOwed(coverType)),
      awaitsFundsOut: excluded > 0n,
    }
  })
}

/** The movements of the smallest settlement: one participant owes another one the amount 1. */
function movementsOf(rules: Rules, from: AccountState, state: AccountState): readonly Movement[] {
  const text = { reason: '', externalReference: '' }
  const at = (account: typeof owing): NetAccount => ({ ...account, ...text, state: from })
  const [payer, payee] = [at(owing), at(owed)]
  const stepping = [payer, payee].map((account): Stepping => {
    return { account, change: { accountId: account.accountId, state, ...text } }
  })
  if (rules.granularity === 'GROSS') {
    const parties = { payerFsp: payer.participant, payeeFsp: payee.participant }
    const line = { windowId: 1, transferId: '', kind: '', ...parties, amount: 1n, currency }
    return committingIn(stepping).size === 0 ? [] : grossMovements(rules, line)
  }
  return rules.interchange === 'MULTILATERAL'
    ? netMovements(rules, stepping)
    : pairMovements(rules, stepping, [{ payer, payee, amount: 1n }])
}

/** Debits less credits of the participant's account of each type. */
function debitsOf(participant: string, movements: readonly Movement[]): (type: string) => bigint {
  return (type) => {
    const isAt = (at: AccountRef) => at.participant === participant && at.type === type
    return sum(
      movements.map(
        ({ debit, credit, amount }) => (isAt(debit) ? amount : 0n) - (isAt(credit) ? amount : 0n),
      ),
    )
  }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n)
}

/** By the checks of the ledger: position ≤ net debit cap, and position ≤ cover − owed fees. */
function effectOf(position: bigint, lostCover: bigint): Effect {
  return { cover: spendingOf(-position - lostCover), netDebitCap: spendingOf(-position) }
}

function spendingOf(change: bigint): StepEffectSpending {
  if (change === 0n) return 'SAME'
  return change < 0n ? 'LESS' : 'MORE'
}
