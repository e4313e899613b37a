/**
 * Reserving: the payer's position never exceeds its cap, nor, together with the fees that it owes,
 * its cover. This file decides why a transfer is refused.
 */
import type { ReserveRefusal } from '@causeway/services'
import { coverOf, feesOwed, valueOf, type Account } from './account.ts'
import type { Book, Party } from './book.ts'
import type { Reserve } from './command.ts'
import { mismatch, type Decision } from './decision.ts'
import { noEvidence, sameTerms, type Entry, type Facts, type Fee } from './entry.ts'
import { isExpired } from './expiry.ts'
import { feeFor, heldFee } from './fee.ts'

/** The result of the checks: a refusal with its facts, or the accounts to move. */
type ReserveCheck =
  | { readonly refusal: ReserveRefusal; readonly facts: Facts | null }
  | {
      readonly refusal: null
      readonly facts: Facts
      readonly fee: Fee | null
      readonly debit: Account
      readonly credit: Account
    }

/** Idempotent by id; then the checks; after them the reservation cannot fail. */
export function reserve(book: Book, command: Reserve): Decision {
  const stored = book.entry(command.id)
  if (stored !== undefined) return repeated(stored, command)
  const check = checkReserve(book, command)
  if (check.refusal !== null) {
    const { refusal: reason, facts } = check
    const refused = {
      outcome: 'REFUSED',
      reason,
      accounts: null,
      fee: null,
      facts,
      completedAt: book.now,
    } as const
    return { type: 'STORE', entry: entryOf(book, command, refused), movements: [] }
  }
  const { debit, credit, fee, facts } = check
  const accounts = { debitAccountId: debit.id, creditAccountId: credit.id }
  const entry = entryOf(book, command, {
    outcome: 'RESERVED',
    reason: '',
    accounts,
    fee,
    facts,
    completedAt: null,
  })
  return {
    type: 'STORE',
    entry,
    movements: [
      { step: 'RESERVE', ...accounts, amount: command.terms.amount },
      ...heldFee(book, 'FEE_RESERVE', entry),
    ],
  }
}

/** A tombstone has no terms to compare. */
function repeated(stored: Entry, { terms }: Reserve): Decision {
  if (stored.kind !== 'TRANSFER') return mismatch
  if (stored.terms !== null && !sameTerms(stored.terms, terms)) return mismatch
  return { type: 'EXISTS', entry: stored }
}

/** The checks, in the order of their reasons. */
function checkReserve(book: Book, command: Reserve): ReserveCheck {
  const { currency, amount } = command.terms
  const payer = book.party(command.terms.payer)
  const payee = book.party(command.terms.payee)
  if (payer === undefined) return refusal('PAYER_UNKNOWN')
  if (payee === undefined) return refusal('PAYEE_UNKNOWN')
  const debit = book.accountOf(payer.id, 'POSITION', currency)
  const credit = book.accountOf(payee.id, 'POSITION', currency)
  const cover = book.accountOf(payer.id, 'SETTLEMENT', currency)
  const claim = book.accountOf(payee.id, 'SETTLEMENT', currency)
  // A transfer settled at once also moves the settlement accounts.
  const isGross = command.settlement?.settles === 'GROSS_IMMEDIATE'
  if (isInactive(payer, debit, isGross ? cover : undefined)) return refusal('PAYER_INACTIVE')
  if (isInactive(payee, credit, isGross ? claim : undefined)) return refusal('PAYEE_INACTIVE')
  // Without a settlement model no account of the payer serves the currency.
  if (command.settlement === null) return refusal('PAYER_NO_ACCOUNT')
  if (debit === undefined || cover === undefined || isOther(command.payerAccountId, debit)) {
    return refusal('PAYER_NO_ACCOUNT')
  }
  if (credit === undefined || isOther(command.payeeAccountId, credit)) {
    return refusal('PAYEE_NO_ACCOUNT')
  }
  if (isGross && claim === undefined) return refusal('PAYEE_NO_ACCOUNT')
  const unable = withoutFeeAccount(book, payer, payee, currency)
  if (unable !== null) return refusal(unable)
  if (isExpired(command.expiresAt, book.now)) return refusal('EXPIRED')
  const fee = feeFor(book, { payerId: payer.id, payeeId: payee.id }, command.terms)
  const facts: Facts = {
    position: valueOf(debit),
    cover: coverOf(cover) - feesWith(book, payer, currency, fee),
    cap: debit.cap ?? 0n,
  }
  const short = shortage(facts, amount)
  return short === null ? { refusal: null, facts, fee, debit, credit } : { refusal: short, facts }
}

/**
 * The fees that the payer would owe, including this transfer's: they count against the cover, not
 * the cap.
 */
function feesWith(book: Book, { id }: Party, currency: string, fee: Fee | null): bigint {
  const fees = book.accountOf(id, 'INTERCHANGE_FEE', currency)
  if (fees === undefined) return 0n
  return feesOwed({ ...fees, debitsPending: fees.debitsPending + (fee?.amount ?? 0n) })
}

/**
 * Where the currency has an interchange fee, both need an account for it, so that a post cannot
 * fail.
 */
function withoutFeeAccount(
  book: Book,
  payer: Party,
  payee: Party,
  currency: string,
): 'PAYER_NO_ACCOUNT' | 'PAYEE_NO_ACCOUNT' | null {
  if (book.feeRule(currency) === undefined || payer.id === payee.id) return null
  const lacks = ({ id }: Party) => book.accountOf(id, 'INTERCHANGE_FEE', currency) === undefined
  if (lacks(payer)) return 'PAYER_NO_ACCOUNT'
  return lacks(payee) ? 'PAYEE_NO_ACCOUNT' : null
}

function refusal(reason: ReserveRefusal): ReserveCheck {
  return { refusal: reason, facts: null }
}

/**
 * Whether the participant or one of its accounts is inactive; missing accounts are checked later.
 */
function isInactive(party: Party, ...accounts: readonly (Account | undefined)[]): boolean {
  return !party.isActive || accounts.some((account) => account?.isActive === false)
}

/** Whether the allocation named another account. */
function isOther(hint: number | null, account: Account): boolean {
  return hint !== null && hint !== account.id
}

/** The limit: position with all reservations and the amount at most min(cap, cover). */
function shortage(
  { position, cover, cap }: Facts,
  amount: bigint,
): 'COVER_SHORT' | 'CAP_SHORT' | null {
  if (position + amount > cover) return 'COVER_SHORT'
  return position + amount > cap ? 'CAP_SHORT' : null
}

function entryOf(
  book: Book,
  { id, terms, expiresAt, settlement }: Reserve,
  result: Pick<Entry, 'outcome' | 'reason' | 'accounts' | 'fee' | 'facts' | 'completedAt'>,
): Entry {
  return {
    id,
    kind: 'TRANSFER',
    outcome: result.outcome,
    reason: result.reason,
    terms,
    parties: {
      payerId: book.party(terms.payer)?.id ?? null,
      payeeId: book.party(terms.payee)?.id ?? null,
    },
    accounts: result.accounts,
    expiresAt,
    settlement,
    fee: result.fee,
    windowId: null,
    facts: result.facts,
    evidence: noEvidence,
    createdAt: book.now,
    completedAt: result.completedAt,
  }
}
