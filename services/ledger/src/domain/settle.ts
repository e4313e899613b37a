/** One movement of a settlement's step, decided once for its id. */
import type { SettlementEntriesAnswerOutcome } from '@causeway/protos'
import { hubId, type Book, type Recorded } from './decision.ts'
import { noParties, noEvidence, sameTerms, type Accounts, type Entry, type Terms } from './entry.ts'

/** An account by its participant and type; null: the hub. */
export interface AccountRef {
  readonly participant: string | null
  readonly type: string
}

export interface Settle {
  readonly id: string
  readonly debit: AccountRef
  readonly credit: AccountRef
  readonly amount: bigint
  readonly currency: string
  /** The credited participant pays by funds out, which have not been recorded yet. */
  readonly awaitsFundsOut: boolean
}

/** Why a step is refused. */
export type StepRefusal = Exclude<SettlementEntriesAnswerOutcome, 'POSTED'>

export type Settled =
  /** It was posted before. */
  | { readonly type: 'EXISTS' }
  | { readonly type: 'STORE'; readonly recorded: Recorded }
  | { readonly type: 'MISMATCH' }
  | { readonly type: 'ACCOUNT_MISSING'; readonly account: AccountRef }

/** Flags and limits are not checked: what was committed is settled. */
export function settle(book: Book, hubName: string, command: Settle): Settled {
  const { id, debit, credit, amount, currency } = command
  const from = accountAt(book, debit, currency)
  if (from === undefined) return { type: 'ACCOUNT_MISSING', account: debit }
  const to = accountAt(book, credit, currency)
  if (to === undefined) return { type: 'ACCOUNT_MISSING', account: credit }
  const accounts: Accounts = { debitAccountId: from.id, creditAccountId: to.id }
  const terms: Terms = {
    payer: debit.participant ?? hubName,
    payee: credit.participant ?? hubName,
    amount,
    currency,
  }
  const stored = book.entry(id)
  if (stored !== undefined) {
    return isSame(stored, terms, accounts) ? { type: 'EXISTS' } : { type: 'MISMATCH' }
  }
  const cover = book.accountOf(to.participantId, 'SETTLEMENT', currency)
  return {
    type: 'STORE',
    recorded: {
      entry: {
        id,
        kind: 'SETTLEMENT',
        outcome: 'POSTED',
        reason: null,
        terms,
        parties: { payerId: from.participantId, payeeId: to.participantId },
        accounts,
        expiresAt: null,
        settlement: null,
        fee: null,
        windowId: null,
        facts: null,
        evidence: noEvidence,
        createdAt: book.now,
        completedAt: book.now,
      },
      movements: [{ step: 'MOVE', ...accounts, amount }],
      ...(command.awaitsFundsOut && cover !== undefined ? { unpaidOn: cover.id } : {}),
    },
  }
}

/** Marks a step as ended of which nothing was posted: later entries of it are refused. */
export function endedStep(book: Book, stepId: string, reason: StepRefusal): Recorded {
  return {
    entry: {
      id: stepId,
      kind: 'SETTLEMENT',
      outcome: 'REFUSED',
      reason,
      terms: null,
      parties: noParties,
      accounts: null,
      expiresAt: null,
      settlement: null,
      fee: null,
      windowId: null,
      facts: null,
      evidence: noEvidence,
      createdAt: book.now,
      completedAt: book.now,
    },
    movements: [],
  }
}

function accountAt(book: Book, { participant, type }: AccountRef, currency: string) {
  const participantId = participant === null ? hubId : book.party(participant)?.id
  return participantId === undefined ? undefined : book.accountOf(participantId, type, currency)
}

function isSame({ kind, terms, accounts }: Entry, own: Terms, ownAccounts: Accounts): boolean {
  return (
    kind === 'SETTLEMENT' &&
    terms !== null &&
    sameTerms(terms, own) &&
    accounts?.debitAccountId === ownAccounts.debitAccountId &&
    accounts.creditAccountId === ownAccounts.creditAccountId
  )
}
