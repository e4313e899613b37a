/**
 * The interchange fee of a transfer: a percentage of its amount that the payer's FSP owes the
 * payee's, held with the transfer and posted as a separate entry in the step that posts the
 * transfer.
 */
import { currencyExponent } from '@causeway/money'
import type { Book } from './book.ts'
import type { Recorded } from './decision.ts'
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

/** Of an amount in ten-thousandths, rounded half up to the smallest unit of the currency. */
export function feeOf(amount: bigint, currency: string, percentage: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, decimals - (currencyExponent(currency) ?? decimals)))
  const divisor = whole_percentage * unit
  return ((2n * amount * percentage + divisor) / (2n * divisor)) * unit
}

/** The fee of a transfer between two participants, at the current rate; null if there is none. */
export function feeFor(book: Book, { payerId, payeeId }: Parties, terms: Terms): Fee | null {
  const rule = book.feeRule(terms.currency)
  if (rule === undefined || payerId === null || payeeId === null || payerId === payeeId) return null
  const amount = feeOf(terms.amount, terms.currency, rule.percentage)
  return amount === 0n ? null : { amount, modelId: rule.modelId }
}

/** The two accounts that a fee moves; null if one is missing. */
function feeAccounts(book: Book, { payerId, payeeId }: Parties, currency: string): Accounts | null {
  const accountOf = (id: number | null) =>
    id === null ? undefined : book.accountOf(id, 'INTERCHANGE_FEE', currency)
  const debit = accountOf(payerId)
  const credit = accountOf(payeeId)
  return debit === undefined || credit === undefined
    ? null
    : { debitAccountId: debit.id, creditAccountId: credit.id }
}

/** Holds or releases the fee of a transfer; empty if none is held. */
export function heldFee(
  book: Book,
  step: 'FEE_RESERVE' | 'FEE_VOID',
  { id, fee, parties, terms }: Pick<Entry, 'id' | 'fee' | 'parties' | 'terms'>,
): readonly Movement[] {
  if (fee === null) return []
  const accounts = feeAccounts(book, parties, terms?.currency ?? '')
  if (accounts === null) throw new Error(`the fee of ${id} has no accounts`)
  return [{ step, ...accounts, amount: fee.amount }]
}

/**
 * The fee of a transfer that is being posted: the one that is held with it. A transfer that was
 * reserved before its currency had a fee, or by a software release that held none, is charged the
 * current fee.
 */
export function feeEntryOf(book: Book, stored: Entry, terms: Terms): Recorded | null {
  const { id, parties } = stored
  const fee = stored.fee ?? feeFor(book, parties, terms)
  const accounts = feeAccounts(book, parties, terms.currency)
  if (fee === null || accounts === null) return null
  const { amount, modelId } = fee
  return {
    entry: {
      id: feeId(id),
      kind: 'FEE',
      outcome: 'POSTED',
      reason: '',
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
