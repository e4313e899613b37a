/** Funds in: one posted movement from the hub's reconciliation account to a settlement account. */
import type { Permission } from '@causeway/services'
import type { Account } from './account.ts'
import { hubId, mismatch, type Book, type Decision, type FundsRefusal } from './decision.ts'
import type { Deposit, Withdraw } from './command.ts'
import { sameTerms, type Entry, type Terms } from './entry.ts'
import { isCover } from './model-rule.ts'
import { decimalsFault } from './refusal.ts'

type FundsCheck =
  | { readonly refusal: FundsRefusal }
  | { readonly refusal: null; readonly settlement: Account; readonly bank: Account }

/**
 * Idempotent by id: the same content again returns the stored entry, other content is a mismatch.
 */
export function deposit(book: Book, command: Deposit): Decision {
  const terms = termsOfFunds(command)
  const stored = book.entry(command.id)
  if (stored !== undefined) {
    return isSame(stored, terms, command) ? { type: 'EXISTS', entry: stored } : mismatch
  }
  const check = checkFunds(book, command, 'FUNDS_IN')
  if (check.refusal !== null) return { type: 'DECLINE', reason: check.refusal }
  const { settlement, bank } = check
  const accounts = { debitAccountId: bank.id, creditAccountId: settlement.id }
  const { participantId } = settlement
  const entry: Entry = {
    id: command.id,
    kind: 'FUNDS_IN',
    outcome: 'POSTED',
    reason: null,
    terms,
    parties: { payerId: participantId, payeeId: participantId },
    accounts,
    expiresAt: null,
    settlement: null,
    fee: null,
    windowId: null,
    facts: null,
    evidence: command.evidence,
    createdAt: book.now,
    completedAt: book.now,
  }
  return {
    type: 'STORE',
    entry,
    movements: [{ step: 'MOVE', ...accounts, amount: command.amount }],
  }
}

function isSame({ kind, terms, accounts, evidence }: Entry, own: Terms, command: Deposit): boolean {
  return (
    kind === 'FUNDS_IN' &&
    terms !== null &&
    sameTerms(terms, own) &&
    accounts?.creditAccountId === command.accountId &&
    evidence.equals(command.evidence)
  )
}

/** Both sides of a movement of funds are the participant. */
export function termsOfFunds({ participant, amount, currency }: Deposit | Withdraw): Terms {
  return { payer: participant, payee: participant, amount, currency }
}

/** The checks for funds in either direction. */
export function checkFunds(
  book: Book,
  { participant, accountId, currency, amount }: Deposit | Withdraw,
  permission: Permission,
): FundsCheck {
  const party = book.party(participant)
  if (party === undefined) return { refusal: 'PARTICIPANT_UNKNOWN' }
  if (!party.permits.has(permission)) return { refusal: 'PARTICIPANT_INACTIVE' }
  const account = book.account(accountId)
  if (account?.participantId !== party.id) return { refusal: 'ACCOUNT_UNKNOWN' }
  if (!isCover(book.models, account.type, account.currency))
    return { refusal: 'ACCOUNT_TYPE_WRONG' }
  if (account.currency !== currency) return { refusal: 'CURRENCY_MISMATCH' }
  if (decimalsFault(book.decimals, currency, amount) !== undefined) {
    return { refusal: 'DECIMALS_TOO_MANY' }
  }
  if (!account.isActive) return { refusal: 'ACCOUNT_INACTIVE' }
  const bank = book.accountOf(hubId, 'HUB_RECONCILIATION', currency)
  if (bank?.isActive !== true) return { refusal: 'HUB_ACCOUNTS_MISSING' }
  return { refusal: null, settlement: account, bank }
}
