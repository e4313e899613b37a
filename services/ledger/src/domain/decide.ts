/**
 * Decides a batch. Each command is decided on the book as changed by the commands before it, so any
 * split of the same commands into batches gives the same entries and balances.
 */
import { coverOf, feesOwed, valueOf, type Account } from './account.ts'
import type { Book, OpenBook } from './book.ts'
import type { Command } from './command.ts'
import type { Decision, FundsRefusal } from './decision.ts'
import { deposit } from './deposit.ts'
import type { Entry } from './entry.ts'
import { ruleInForce } from './model-rule.ts'
import { openPosition } from './opening.ts'
import { post, release, reserve } from './transfer.ts'
import { endWithdrawal, withdraw } from './withdraw.ts'

/** A POSITION account after the step, or now if the step was done before. */
export interface Position {
  readonly participant: string
  readonly accountId: number
  readonly currency: string
  /** Includes what is reserved. */
  readonly value: bigint
  readonly reserved: bigint
  readonly cap: bigint | null
  /** Null when the participant has no settlement account. */
  readonly liquidity: bigint | null
  readonly changedAt: Date
}

export type Answer =
  /** What is stored for the id. */
  | {
      readonly type: 'ENTRY'
      readonly entry: Entry
      readonly payer: Position | null
      readonly payee: Position | null
    }
  /** Nothing was stored or changed. */
  | { readonly type: 'MISMATCH' }
  | { readonly type: 'UNKNOWN' }
  | { readonly type: 'TOO_EARLY'; readonly retry_ms: number }
  | { readonly type: 'DECLINE'; readonly reason: FundsRefusal }
  /** The database refused this command, or the ledger cannot store it. */
  | { readonly type: 'FAULT' }

/** Decides and records the commands in their order, one answer for each. */
export function decideAll(
  book: OpenBook,
  commands: readonly Command[],
  rules: Rules,
): readonly Answer[] {
  return commands.map((command) => {
    const decision = decide(book, command, rules)
    if (decision.type === 'STORE') {
      book.record(decision)
      if (decision.alongside !== undefined) book.record(decision.alongside)
    }
    return answerOf(book, decision)
  })
}

export interface Rules {
  /** A timeout waits so long after the expiry. */
  readonly expiryGrace_ms: number
}

function decide(book: Book, command: Command, { expiryGrace_ms }: Rules): Decision {
  switch (command.type) {
    case 'RESERVE':
      return reserve(book, command)
    case 'POST':
      return post(book, command)
    case 'VOID':
      return release(book, command, expiryGrace_ms)
    case 'DEPOSIT':
      return deposit(book, command)
    case 'WITHDRAW':
      return withdraw(book, command)
    case 'END_WITHDRAWAL':
      return endWithdrawal(book, command)
    case 'OPENING':
      return openPosition(book, command)
  }
}

function answerOf(book: Book, decision: Decision): Answer {
  if (decision.type !== 'EXISTS' && decision.type !== 'STORE') return decision
  const { entry } = decision
  const { terms, parties } = entry
  if (entry.kind !== 'TRANSFER' || terms === null) {
    return { type: 'ENTRY', entry, payer: null, payee: null }
  }
  return {
    type: 'ENTRY',
    entry,
    payer: positionOf(book, terms.payer, parties.payerId, terms.currency),
    payee: positionOf(book, terms.payee, parties.payeeId, terms.currency),
  }
}

function positionOf(
  book: Book,
  participant: string,
  participantId: number | null,
  currency: string,
): Position | null {
  if (participantId === null) return null
  const account = book.accountOf(participantId, 'POSITION', currency)
  if (account === undefined) return null
  return position(book, participant, account)
}

export function position(book: Book, participant: string, account: Account): Position {
  const { participantId, currency } = account
  const { coverType } = ruleInForce(book.models, currency)
  const settlement = book.accountOf(participantId, coverType, currency)
  const fees = book.accountOf(participantId, 'INTERCHANGE_FEE', currency)
  return {
    participant,
    accountId: account.id,
    currency: account.currency,
    value: valueOf(account),
    reserved: account.debitsPending,
    cap: account.cap,
    liquidity: settlement === undefined ? null : coverOf(settlement) - feesOwed(fees),
    changedAt: account.changedAt,
  }
}
