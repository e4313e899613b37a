/**
 * Funds out: an amount of the cover is held, then it leaves the hub's bank or is cover again. What is
 * held never takes the cover below what the participant owes. To find why it was refused, read this.
 */
import { excludedOf, feesOwed, valueOf, type Account } from './account.ts'
import type { Book } from './book.ts'
import type { EndWithdrawal, Withdraw } from './command.ts'
import { mismatch, unknown, type Decision } from './decision.ts'
import { surveyFunds, termsOfFunds } from './deposit.ts'
import { sameTerms, type Accounts, type Entry, type Facts, type Terms } from './entry.ts'
import { isExpired, untilExpired_ms } from './expiry.ts'

/** Of a withdrawal that found too little cover. */
const coverShort = 'COVER_SHORT'
/** Of a withdrawal that the operator took back, or that nobody completed in time. */
const aborted = 'ABORTED'
export const fundsTimeout = 'TIMEOUT'

/**
 * Idempotent by id. What is short of cover is stored as refused, so that the id has one answer for
 * ever; other refusals store nothing.
 */
export function withdraw(book: Book, command: Withdraw): Decision {
  const terms = termsOfFunds(command)
  const stored = book.entry(command.id)
  if (stored !== undefined) {
    return isSame(stored, terms, command) ? { type: 'STAND', entry: stored } : mismatch
  }
  const survey = surveyFunds(book, command, 'FUNDS_OUT')
  if (survey.refusal !== null) return { type: 'DECLINE', reason: survey.refusal }
  const { settlement, bank } = survey
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
        entry: entry({ outcome: 'POSTED', reason: '', completedAt: book.now }),
        movements: [held, { step: 'POST', ...accounts, amount }],
      }
    : {
        type: 'STORE',
        entry: entry({ outcome: 'RESERVED', reason: '', completedAt: null }),
        movements: [held],
      }
}

/** Once, and whatever states and flags say. A commit that comes too late finds the hold ended. */
export function endWithdrawal(book: Book, command: EndWithdrawal): Decision {
  const stored = book.entry(command.id)
  if (stored?.kind !== 'FUNDS_OUT' || stored.terms?.payer !== command.participant) return unknown
  if (command.accountId !== null && stored.accounts?.debitAccountId !== command.accountId) {
    return unknown
  }
  if (stored.outcome !== 'RESERVED') return { type: 'STAND', entry: stored }
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
 * What may leave: cover that is neither excluded nor needed for what is owed. What a settlement left to
 * be paid may leave, for that is how it is paid. Where the position is not protected, only the deposit
 * itself is a bound.
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

/** What is to leave in one step is not what is only held under its id, or was and did not leave. */
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
