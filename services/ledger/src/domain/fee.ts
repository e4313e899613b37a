/**
 * The interchange fee of a transfer: a percentage of its amount that the payer's FSP owes the
 * payee's, held with the transfer and posted as a separate entry in the step that posts the
 * transfer.
 */
import { currencyExponent, type DecimalBounds } from '@causeway/money'
import type { Book, Recorded } from './decision.ts'
import {
  noEvidence,
  type Accounts,
  type Entry,
  type Fee,
  type Parties,
  type Terms,
} from './entry.ts'
import type { Movement } from './movement.ts'

/** What the operator has set for a currency. */
export interface FeeRule {
  /** The settlement model that the fees are netted under. */
  readonly modelId: number
  /** Ten-thousandths of a percent. */
  readonly percentage: bigint
}

const whole_percentage = 1_000_000n
/** Amounts have four decimals. */
const decimals = 4

/**
 * Of an amount in ten-thousandths, rounded half up to the smallest unit of the currency: by the bounds
 * of amounts, else by ISO 4217.
 */
export function feeOf(
  amount: bigint,
  currency: string,
  percentage: bigint,
  bounds?: DecimalBounds,
): bigint {
  const places = bounds?.get(currency) ?? currencyExponent(currency) ?? decimals
  const unit = 10n ** BigInt(Math.max(0, decimals - places))
  const divisor = whole_percentage * unit
  return ((2n * amount * percentage + divisor) / (2n * divisor)) * unit
}

/** The fee of a transfer between two participants, at the current rate; null if there is none. */
export function feeFor(book: Book, { payerId, payeeId }: Parties, terms: Terms): Fee | null {
  const rule = book.feeRule(terms.currency)
  if (rule === undefined || payerId === null || payeeId === null || payerId === payeeId) return null
  const amount = feeOf(terms.amount, terms.currency, rule.percentage, book.decimals)
  return amount === 0n ? null : { amount, modelId: rule.modelId }
}

/** The two accounts that a held fee moves: no reservation holds one without them. */
function feeAccounts(
  book: Book,
  { id, parties, terms }: Pick<Entry, 'id' | 'parties' | 'terms'>,
): Accounts {
  const accountOf = (owner: number | null) =>
    owner === null ? undefined : book.accountOf(owner, 'INTERCHANGE_FEE', terms?.currency ?? '')
  const debit = accountOf(parties.payerId)
  const credit = accountOf(parties.payeeId)
  if (debit === undefined || credit === undefined)
    throw new Error(`the fee of ${id} has no accounts`)
  return { debitAccountId: debit.id, creditAccountId: credit.id }
}

/** Holds or releases the fee of a transfer; empty if none is held. */
export function heldFee(
  book: Book,
  step: 'FEE_RESERVE' | 'FEE_VOID',
  transfer: Pick<Entry, 'id' | 'fee' | 'parties' | 'terms'>,
): readonly Movement[] {
  const { fee } = transfer
  return fee === null ? [] : [{ step, ...feeAccounts(book, transfer), amount: fee.amount }]
}

/**
 * The fee of a transfer that is being posted is the one that is held with it. Without one there is none,
 * even if the rate has changed: the reservation had no cover for it.
 */
export function feeEntryOf(book: Book, stored: Entry, terms: Terms): Recorded | null {
  const { id, parties, fee } = stored
  if (fee === null) return null
  const accounts = feeAccounts(book, stored)
  const { amount, modelId } = fee
  return {
    entry: {
      id: feeId(id),
      kind: 'FEE',
      outcome: 'POSTED',
      reason: null,
      terms: { ...terms, amount },
      parties,
      accounts,
      expiresAt: null,
      settlement: { modelId, settles: 'NET' },
      fee: null,
      windowId: book.windowId,
      facts: null,
      evidence: noEvidence,
      createdAt: book.now,
      completedAt: book.now,
    },
    movements: [{ step: 'MOVE', ...accounts, amount }],
  }
}

/** No transfer has such an id. */
function feeId(transferId: string): string {
  return `fee-${transferId}`
}
