/**
 * The interchange fee of a transfer: a percentage of its amount that the payer's FSP owes the payee's,
 * posted as an entry of its own in the very step that posts the transfer.
 */
import { currencyExponent } from '@causeway/money'
import type { Book } from './book.ts'
import type { Recorded } from './decision.ts'
import { noEvidence, type Entry, type Terms } from './entry.ts'

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

/** Of an amount in ten-thousandths, rounded half up to what the currency can pay. */
export function feeOf(amount: bigint, currency: string, percentage: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, decimals - (currencyExponent(currency) ?? decimals)))
  const divisor = whole_percentage * unit
  return ((2n * amount * percentage + divisor) / (2n * divisor)) * unit
}

/** The fee of a transfer that is being posted; none where nobody set one, or it comes to nothing. */
export function feeEntryOf(book: Book, { id, parties }: Entry, terms: Terms): Recorded | null {
  const rule = book.feeRule(terms.currency)
  const { payerId, payeeId } = parties
  if (rule === undefined || payerId === null || payeeId === null || payerId === payeeId) return null
  const debit = book.accountOf(payerId, 'INTERCHANGE_FEE', terms.currency)
  const credit = book.accountOf(payeeId, 'INTERCHANGE_FEE', terms.currency)
  const amount = feeOf(terms.amount, terms.currency, rule.percentage)
  if (debit === undefined || credit === undefined || amount === 0n) return null
  const accounts = { debitAccountId: debit.id, creditAccountId: credit.id }
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
      settlement: { modelId: rule.modelId, settles: 'NET' },
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
export function feeId(transferId: string): string {
  return `fee-${transferId}`
}
