/**
 * Completing: a reservation is posted or voided once. Neither step checks a flag, a limit or the
 * cover, because a reservation must always be able to finish.
 */
import type { AccountType } from './account.ts'
import type { Book } from './book.ts'
import type { Post, Void } from './command.ts'
import { mismatch, unknown, type Decision } from './decision.ts'
import { noParties, type Accounts, type Entry, type Terms } from './entry.ts'
import { isExpired, receiptOf, untilExpired_ms } from './expiry.ts'
import { feeEntryOf, heldFee } from './fee.ts'
import type { Movement } from './movement.ts'

/** The reason of a reservation that was not completed in time. */
const timeout = 'TIMEOUT'

/** A final entry is never changed, regardless of the clock. */
export function post(book: Book, command: Post): Decision {
  const stored = book.entry(command.id)
  if (stored === undefined) return unknown
  if (stored.kind !== 'TRANSFER') return mismatch
  if (stored.outcome !== 'RESERVED') return { type: 'EXISTS', entry: stored }
  const { terms, accounts, expiresAt } = whole(stored)
  if (isExpired(expiresAt, receiptOf(command.receivedAt, book.now))) {
    return voided(book, stored, { ...command, reason: timeout })
  }
  const isGross = stored.settlement?.settles === 'GROSS_IMMEDIATE'
  const fee = feeEntryOf(book, stored, terms)
  return {
    type: 'STORE',
    ...(fee === null ? {} : { alongside: fee }),
    entry: {
      ...stored,
      outcome: 'POSTED',
      windowId: isGross ? null : book.windowId,
      evidence: command.evidence,
      completedAt: book.now,
    },
    movements: [
      { step: 'POST', ...accounts, amount: terms.amount },
      ...heldFee(book, 'FEE_VOID', stored),
      ...(isGross ? grossMovements(book, stored, terms, accounts) : []),
    ],
  }
}

/**
 * A timeout waits for the expiry and its grace by the clock of the database; other reasons do not.
 */
export function release(book: Book, command: Void, grace_ms: number): Decision {
  const stored = book.entry(command.id)
  if (stored !== undefined && stored.kind !== 'TRANSFER') return mismatch
  if (stored !== undefined && stored.outcome !== 'RESERVED') {
    return { type: 'EXISTS', entry: stored }
  }
  if (command.reason === timeout) {
    const expiresAt = stored?.expiresAt ?? command.expiresAt
    const retry_ms = untilExpired_ms(expiresAt, grace_ms, book.now)
    if (retry_ms > 0) return { type: 'TOO_EARLY', retry_ms }
  }
  return stored === undefined
    ? { type: 'STORE', entry: tombstone(book, command), movements: [] }
    : voided(book, stored, command)
}

function voided(
  book: Book,
  stored: Entry,
  { reason, evidence }: { readonly reason: string; readonly evidence: Buffer },
): Decision {
  const { terms, accounts } = whole(stored)
  return {
    type: 'STORE',
    entry: { ...stored, outcome: 'VOIDED', reason, evidence, completedAt: book.now },
    movements: [
      { step: 'VOID', ...accounts, amount: terms.amount },
      ...heldFee(book, 'FEE_VOID', stored),
    ],
  }
}

/** Blocks a reserve that arrives after its void. */
function tombstone(book: Book, { id, expiresAt, reason, evidence }: Void): Entry {
  return {
    id,
    kind: 'TRANSFER',
    outcome: 'VOIDED',
    reason,
    terms: null,
    parties: noParties,
    accounts: null,
    expiresAt,
    settlement: null,
    fee: null,
    windowId: null,
    facts: null,
    evidence,
    createdAt: book.now,
    completedAt: book.now,
  }
}

/** Reverses both positions and moves the settlement accounts instead. */
function grossMovements(
  book: Book,
  { id, parties }: Entry,
  { amount, currency }: Terms,
  { debitAccountId: payer, creditAccountId: payee }: Accounts,
): readonly Movement[] {
  const settlementOf = (participantId: number | null): number => {
    const type: AccountType = 'SETTLEMENT'
    const account =
      participantId === null ? undefined : book.accountOf(participantId, type, currency)
    if (account === undefined) throw new Error(`${id} was reserved without a settlement account`)
    return account.id
  }
  const cover = settlementOf(parties.payerId)
  const claim = settlementOf(parties.payeeId)
  return [
    { step: 'GROSS_PAYER', debitAccountId: cover, creditAccountId: payer, amount },
    { step: 'GROSS_PAYEE', debitAccountId: payee, creditAccountId: claim, amount },
  ]
}

/** A reserved entry has terms, accounts and an expiry. */
function whole({ id, terms, accounts, expiresAt }: Entry): {
  readonly terms: Terms
  readonly accounts: Accounts
  readonly expiresAt: Date
} {
  if (terms === null || accounts === null || expiresAt === null) {
    throw new Error(`the reservation ${id} lacks its terms, its accounts or its expiry`)
  }
  return { terms, accounts, expiresAt }
}
