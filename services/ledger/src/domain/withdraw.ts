/**
 * Funds out: an amount of the cover is held, then it is paid out or released. Holds never take the
 * cover below what the participant owes. This file decides why funds out are refused.
 */
import type { LedgerEntryReason } from '@causeway/protos'
import { excludedOf, feesOwed, valueOf, type Account } from './account.ts'
import { mismatch, unknown, type Book, type Decision } from './decision.ts'
import type { EndWithdrawal, Withdraw } from './command.ts'
import { checkFunds, termsOfFunds } from './deposit.ts'
import { sameTerms, type Accounts, type Entry, type Facts, type Terms } from './entry.ts'
import { isExpired, untilExpired_ms } from './expiry.ts'

/** Of a withdrawal with insufficient cover. */
const coverShort = 'COVER_SHORT' satisfies LedgerEntryReason
/** Of a withdrawal that the operator aborted, or that was not completed in time. */
const aborted = 'ABORTED' satisfies LedgerEntryReason
export const fundsTimeout = 'TIMEOUT' satisfies LedgerEntryReason

/**
 * Idempotent by id. Insufficient cover is stored as a refusal, so that the id always has the same
 * answer; other refusals store nothing.
 */
export function withdraw(book: Book, command: Withdraw): Decision {
  const terms = termsOfFunds(command)
  const stored = book.entry(command.id)
  if (stored !== undefined) {
    return isSame(stored, terms, command) ? { type: 'EXISTS', entry: stored } : mismatch
  }
  const check = checkFunds(book, command, 'FUNDS_OUT')
  if (check.refusal !== null) return { type: 'DECLINE', reason: check.refusal }
  const { settlement, bank } = check
  const accounts = { debitAccountId: settlement.id, creditAccountId: bank.id }
  const facts = factsOf(book, settlement)
  const entry = (result: Pick<Entry, 'outcome' | 'reason' | 'completedAt'>): Entry => ({
    ...result,
    id: command.id,
    kind: 'FUNDS_OUT',
    terms,
    parties: { payerId: settlement.participantId, payeeId: settlement.participantId },
    accounts,
    expiresAt: new Date(book.now.getTime() + command.validity_ms),
    settlement: null,
    fee: null,
    windowId: null,
    facts,
    evidence: command.evidence,
    createdAt: book.now,
  })
  const { amount } = command
  if (amount > withdrawable(facts, settlement, command.protects)) {
    return {
      type: 'STORE',
      entry: entry({ outcome: 'REFUSED', reason: coverShort, completedAt: book.now }),
      movements: [],
    }
  }
  const held = { step: 'RESERVE', ...accounts, amount } as const
  return command.isFinal
    ? {
        type: 'STORE',
        entry: entry({ outcome: 'POSTED', reason: null, completedAt: book.now }),
        movements: [held, { step: 'POST', ...accounts, amount }],
      }
    : {
        type: 'STORE',
        entry: entry({ outcome: 'RESERVED', reason: null, completedAt: null }),
        movements: [held],
      }
}

/**
 * Ends a hold once, regardless of states and flags. A commit that comes too late ends the hold as
 * expired.
 */
export function endWithdrawal(book: Book, command: EndWithdrawal): Decision {
  const stored = book.entry(command.id)
  if (stored?.kind !== 'FUNDS_OUT' || stored.terms?.payer !== command.participant) return unknown
  if (command.accountId !== null && stored.accounts?.debitAccountId !== command.accountId) {
    return unknown
  }
  if (stored.outcome !== 'RESERVED') return { type: 'EXISTS', entry: stored }
  const { terms, accounts, expiresAt } = held(stored)
  const { amount } = terms
  if (command.how === 'EXPIRE' && !isExpired(expiresAt, book.now)) {
    return { type: 'TOO_EARLY', retry_ms: untilExpired_ms(expiresAt, 0, book.now) }
  }
  const completedAt = book.now
  if (command.how === 'COMMIT' && !isExpired(expiresAt, book.now)) {
    return {
      type: 'STORE',
      entry: { ...stored, outcome: 'POSTED', completedAt },
      movements: [{ step: 'POST', ...accounts, amount }],
    }
  }
  const reason = command.how === 'ABORT' ? aborted : fundsTimeout
  return {
    type: 'STORE',
    entry: { ...stored, outcome: 'VOIDED', reason, completedAt },
    movements: [{ step: 'VOID', ...accounts, amount }],
  }
}

/**
 * The amount that can be withdrawn: cover that is neither excluded nor needed for what is owed. An
 * amount that a settlement left unpaid can be withdrawn, because funds out pay it. If positions are
 * not protected, the deposit is the only bound.
 */
function withdrawable(
  { position, cover }: Pick<Facts, 'position' | 'cover'>,
  settlement: Account,
  protects: boolean,
): bigint {
  if (!protects) return -valueOf(settlement)
  return cover - (position > 0n ? position : 0n)
}

function factsOf(book: Book, settlement: Account): Facts {
  const { participantId, currency } = settlement
  const position = book.accountOf(participantId, 'POSITION', currency)
  const fees = book.accountOf(participantId, 'INTERCHANGE_FEE', currency)
  return {
    position: position === undefined ? 0n : valueOf(position),
    cover: -valueOf(settlement) - excludedOf(settlement) - feesOwed(fees),
    cap: position?.cap ?? 0n,
  }
}

/**
 * A one-step withdrawal does not match one that is only held under its id, or was held and
 * released.
 */
function isSame(stored: Entry, own: Terms, command: Withdraw): boolean {
  const { kind, outcome, terms, accounts, evidence } = stored
  const isAnswered = !command.isFinal || outcome === 'POSTED' || outcome === 'REFUSED'
  return (
    isAnswered &&
    kind === 'FUNDS_OUT' &&
    terms !== null &&
    sameTerms(terms, own) &&
    accounts?.debitAccountId === command.accountId &&
    evidence.equals(command.evidence)
  )
}

function held({ id, terms, accounts, expiresAt }: Entry): {
  readonly terms: Terms
  readonly accounts: Accounts
  readonly expiresAt: Date
} {
  if (terms === null || accounts === null || expiresAt === null) {
    throw new Error(`the withdrawal ${id} lacks its terms, its accounts or its expiry`)
  }
  return { terms, accounts, expiresAt }
}
