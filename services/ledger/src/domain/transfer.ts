/**
 * Every decision about the money of a transfer, in two phases. Reserving: the payer's position never
 * exceeds its cap, nor, together with the fees that it owes, its cover; here is decided why a transfer
 * is refused. Completing: a reservation is posted or voided once. Neither step checks a flag, a limit
 * or the cover, because a reservation must always be able to finish.
 */
import type { ReserveRefusal, VoidReason } from '@causeway/protos'
import { coverOf, feesOwed, valueOf, type Account } from './account.ts'
import {
  hubId,
  mismatch,
  unknown,
  type Book,
  type TransferParty,
  type Decision,
} from './decision.ts'
import type { Post, Reserve, Void } from './command.ts'
import {
  noEvidence,
  noParties,
  sameTerms,
  settlesAtOnce,
  type Accounts,
  type Entry,
  type Facts,
  type Fee,
  type Settlement,
  type Terms,
} from './entry.ts'
import { isExpired, receiptOf, untilExpired_ms } from './expiry.ts'
import { feeEntryOf, feeFor, heldFee } from './fee.ts'
import { ruleOfModel, usualCover, type CoverRule } from './model-rule.ts'
import type { Movement } from './movement.ts'

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
    reason: null,
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
  const { settlement } = command
  const rule = settlement === null ? usualCover : ruleOfModel(book.models, settlement.modelId)
  const cover = book.accountOf(payer.id, rule.coverType, currency)
  const claim = book.accountOf(payee.id, rule.coverType, currency)
  // A transfer settled at once also moves the settlement accounts.
  const isGross = settlesAtOnce(settlement?.settles)
  if (isInactive(payer, debit, isGross ? cover : undefined)) return refusal('PAYER_INACTIVE')
  if (isInactive(payee, credit, isGross ? claim : undefined)) return refusal('PAYEE_INACTIVE')
  // Without a settlement model no account of the payer serves the currency.
  if (settlement === null) return refusal('PAYER_NO_ACCOUNT')
  if (debit === undefined || cover === undefined || isOther(command.payerAccountId, debit)) {
    return refusal('PAYER_NO_ACCOUNT')
  }
  if (credit === undefined || isOther(command.payeeAccountId, credit)) {
    return refusal('PAYEE_NO_ACCOUNT')
  }
  if (isGross && claim === undefined) return refusal('PAYEE_NO_ACCOUNT')
  if (isThroughHub(settlement) && transitOf(book, currency) === undefined) {
    return refusal('PAYER_NO_ACCOUNT')
  }
  const unable = withoutFeeAccount(book, payer, payee, currency)
  if (unable !== null) return refusal(unable)
  if (!(command.isBulkItem ? payee.takesBulks : payee.takesTransfers)) {
    return refusal('PAYEE_UNREACHABLE')
  }
  if (isExpired(command.expiresAt, book.now)) return refusal('EXPIRED')
  const fee = feeFor(book, { payerId: payer.id, payeeId: payee.id }, command.terms)
  const facts: Facts = {
    position: valueOf(debit),
    cover: coverOf(cover) - feesWith(book, payer, currency, fee),
    cap: debit.cap ?? 0n,
  }
  const short = shortage(facts, amount, rule)
  return short === null ? { refusal: null, facts, fee, debit, credit } : { refusal: short, facts }
}

/**
 * The fees that the payer would owe, including this transfer's: they count against the cover, not
 * the cap.
 */
function feesWith(book: Book, { id }: TransferParty, currency: string, fee: Fee | null): bigint {
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
  payer: TransferParty,
  payee: TransferParty,
  currency: string,
): 'PAYER_NO_ACCOUNT' | 'PAYEE_NO_ACCOUNT' | null {
  if (book.feeRule(currency) === undefined || payer.id === payee.id) return null
  const lacks = ({ id }: TransferParty) =>
    book.accountOf(id, 'INTERCHANGE_FEE', currency) === undefined
  if (lacks(payer)) return 'PAYER_NO_ACCOUNT'
  return lacks(payee) ? 'PAYEE_NO_ACCOUNT' : null
}

function refusal(reason: ReserveRefusal): ReserveCheck {
  return { refusal: reason, facts: null }
}

/**
 * Whether the participant or one of its accounts is inactive; missing accounts are checked later.
 */
function isInactive(party: TransferParty, ...accounts: readonly (Account | undefined)[]): boolean {
  return !party.isActive || accounts.some((account) => account?.isActive === false)
}

/** Whether the allocation named another account. */
function isOther(hint: number | null, account: Account): boolean {
  return hint !== null && hint !== account.id
}

/**
 * The limit: position with all reservations and the amount at most min(cap, cover), or at most the cap
 * where the check of cover is off.
 */
function shortage(
  { position, cover, cap }: Facts,
  amount: bigint,
  { isChecked }: CoverRule,
): 'COVER_SHORT' | 'CAP_SHORT' | null {
  if (isChecked && position + amount > cover) return 'COVER_SHORT'
  return position + amount > cap ? 'CAP_SHORT' : null
}

function isThroughHub(settlement: Settlement | null): boolean {
  return settlement?.settles === 'GROSS_IMMEDIATE_MULTILATERAL'
}

/** The hub's account that money passes through. */
function transitOf(book: Book, currency: string): Account | undefined {
  return book.accountOf(hubId, 'HUB_MULTILATERAL_SETTLEMENT', currency)
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

/** The reason of a reservation that was not completed in time. */
const timeout: VoidReason = 'TIMEOUT'

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
  const isGross = settlesAtOnce(stored.settlement?.settles)
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
  { reason, evidence }: { readonly reason: VoidReason; readonly evidence: Buffer },
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

/**
 * Reverses both positions and moves the settlement accounts instead: directly, or through the hub's
 * account.
 */
function grossMovements(
  book: Book,
  { id, parties, settlement }: Entry,
  { amount, currency }: Terms,
  { debitAccountId: payer, creditAccountId: payee }: Accounts,
): readonly Movement[] {
  const known = (account: Account | undefined): number => {
    if (account === undefined) throw new Error(`${id} was reserved without its settlement accounts`)
    return account.id
  }
  const moneyOf = (participantId: number | null) =>
    known(book.accountOf(participantId ?? 0, 'SETTLEMENT', currency))
  const cover = moneyOf(parties.payerId)
  const claim = moneyOf(parties.payeeId)
  if (!isThroughHub(settlement)) {
    return [
      { step: 'GROSS_PAYER', debitAccountId: cover, creditAccountId: payer, amount },
      { step: 'GROSS_PAYEE', debitAccountId: payee, creditAccountId: claim, amount },
    ]
  }
  const transit = known(transitOf(book, currency))
  return [
    { step: 'GROSS_TO_HUB', debitAccountId: cover, creditAccountId: transit, amount },
    { step: 'GROSS_FROM_HUB', debitAccountId: transit, creditAccountId: claim, amount },
    { step: 'GROSS_POSITIONS', debitAccountId: payee, creditAccountId: payer, amount },
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
