/**
 * A ledger account: four balances that never fall below zero, and the rule that derives its value
 * from them.
 */
import type { JournalStep } from '@causeway/protos'

/** Account types that the ledger itself moves; others are only ever opened and listed. */
export type AccountType =
  | 'POSITION'
  | 'SETTLEMENT'
  | 'INTERCHANGE_FEE'
  | 'INTERCHANGE_FEE_SETTLEMENT'
  | 'HUB_RECONCILIATION'
  | 'HUB_MULTILATERAL_SETTLEMENT'
  | 'HUB_OPENING_BALANCE'

/** Ten-thousandths, each at least 0. */
export interface Balances {
  readonly debitsPosted: bigint
  readonly debitsPending: bigint
  readonly creditsPosted: bigint
  readonly creditsPending: bigint
}

export interface Account extends Balances {
  readonly id: number
  readonly participantId: number
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  /** The net debit cap of a POSITION account; null before the first limit. */
  readonly cap: bigint | null
  /** Of a SETTLEMENT account: the part of the cover that reservations may not use. */
  readonly excluded: bigint
  /** Where that part follows the deposit: its percentage, in ten-thousandths of a percent. */
  readonly excludedPercentage: bigint | null
  /**
   * Of a SETTLEMENT account: owed out of settlements, to be paid by funds out, together with the
   * funds out that were held when it arose: those serve another purpose, so they do not pay it.
   */
  readonly unpaid: bigint
  /** The batch in which the first part of it arose. */
  readonly unpaidBatch: bigint | null
  readonly changedAt: Date
}

/**
 * Seen from the hub as an asset: pending debits count, pending credits do not. A position above
 * zero is owed to the scheme; a settlement account below zero is a deposit.
 */
export function valueOf(balances: Balances): bigint {
  return balances.debitsPosted + balances.debitsPending - balances.creditsPosted
}

/** What a settlement account allows its participant to owe, fees included. */
export function coverOf(settlement: Account): bigint {
  return -valueOf(settlement) - excludedOf(settlement) - stillToPay(settlement)
}

/**
 * What a participant owes in interchange fees, held ones included; fees owed to it are not cover.
 */
export function feesOwed(fees: Balances | undefined): bigint {
  const value = fees === undefined ? 0n : valueOf(fees)
  return value > 0n ? value : 0n
}

/** 100 percent in ten-thousandths. */
export const whole = 1_000_000n

/** What reservations may not use now; of a percentage that follows the deposit, rounded down. */
export function excludedOf(settlement: Account): bigint {
  const { excluded, excludedPercentage } = settlement
  return excludedPercentage === null ? excluded : shareOf(settlement, excludedPercentage)
}

/** A percentage of the deposit; without a deposit it is 0. */
export function shareOf(settlement: Balances, percentage: bigint): bigint {
  const deposit = -valueOf(settlement)
  return deposit > 0n ? (deposit * percentage) / whole : 0n
}

/** Held funds out already reduce the cover, so they are not subtracted again. */
export function stillToPay({ unpaid, debitsPending }: Account): bigint {
  return unpaid > debitsPending ? unpaid - debitsPending : 0n
}

/** The account after one side of a step; a balance that would fall below zero is a bug. */
export function moved(
  account: Account,
  side: 'DEBIT' | 'CREDIT',
  { step, amount, at }: { readonly step: JournalStep; readonly amount: bigint; readonly at: Date },
): Account {
  const posted = isPosting(step) ? amount : 0n
  const pending = pendingBy(step, amount)
  const isDebit = side === 'DEBIT'
  const after: Account = {
    id: account.id,
    participantId: account.participantId,
    type: account.type,
    currency: account.currency,
    isActive: account.isActive,
    debitsPosted: isDebit ? account.debitsPosted + posted : account.debitsPosted,
    debitsPending: isDebit ? account.debitsPending + pending : account.debitsPending,
    creditsPosted: isDebit ? account.creditsPosted : account.creditsPosted + posted,
    creditsPending: isDebit ? account.creditsPending : account.creditsPending + pending,
    cap: account.cap,
    excluded: account.excluded,
    excludedPercentage: account.excludedPercentage,
    unpaid: account.unpaid,
    unpaidBatch: account.unpaidBatch,
    changedAt: at,
  }
  if (after.debitsPending < 0n || after.creditsPending < 0n) {
    throw new Error(`${step} of ${amount} takes account ${account.id} below zero`)
  }
  return after
}

/** Whether a step changes what is posted. */
export function isPosting(step: JournalStep): boolean {
  switch (step) {
    case 'MOVE':
    case 'POST':
    case 'GROSS_PAYER':
    case 'GROSS_PAYEE':
    case 'GROSS_TO_HUB':
    case 'GROSS_FROM_HUB':
    case 'GROSS_POSITIONS':
      return true
    case 'RESERVE':
    case 'VOID':
    case 'FEE_RESERVE':
    case 'FEE_VOID':
      return false
  }
}

/** By how much a step changes what is pending. */
export function pendingBy(step: JournalStep, amount: bigint): bigint {
  switch (step) {
    case 'RESERVE':
    case 'FEE_RESERVE':
      return amount
    case 'POST':
    case 'VOID':
    case 'FEE_VOID':
      return -amount
    case 'MOVE':
    case 'GROSS_PAYER':
    case 'GROSS_PAYEE':
    case 'GROSS_TO_HUB':
    case 'GROSS_FROM_HUB':
    case 'GROSS_POSITIONS':
      return 0n
  }
}
