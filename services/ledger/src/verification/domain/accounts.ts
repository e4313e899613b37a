/** Compares the balances of the accounts with the journal, and debits with credits. */
import type { JournalStep } from '@causeway/protos'
import { isPosting, pendingBy } from '../../domain/account.ts'
import type { Unpaid } from './unpaid.ts'

/** Ten-thousandths. */
export interface Balances {
  readonly postedDebits: bigint
  readonly pendingDebits: bigint
  readonly postedCredits: bigint
  readonly pendingCredits: bigint
}

export interface HeldAccount extends Balances {
  readonly id: number
  readonly participant: string
  readonly type: string
  readonly currency: string
  /**
   * The amount that settlements left to be paid by funds out, and the batch in which it arose; 0:
   * unknown.
   */
  readonly unpaid: bigint
  readonly unpaidSince: bigint
}

/** The sum of the lines of one step on one side of an account. */
export interface StepSum {
  readonly accountId: number
  readonly side: 'DEBIT' | 'CREDIT'
  readonly step: JournalStep
  readonly amount: bigint
}

export type Kind = keyof Balances

export interface BalanceDifference {
  readonly account: HeldAccount
  readonly kind: Kind
  readonly journal: bigint
}

/** All debits of a currency against all its credits. */
export interface CurrencyDifference {
  readonly currency: string
  readonly kind: 'posted' | 'pending'
  readonly debits: bigint
  readonly credits: bigint
}

export type Journal = Map<number, Balances>

const zero: Balances = {
  postedDebits: 0n,
  pendingDebits: 0n,
  postedCredits: 0n,
  pendingCredits: 0n,
}
const kinds = Object.keys(zero) as readonly Kind[]

/** Adds the sums of lines: RESERVE makes pending, POST turns it into posted, VOID ends it. */
export function addSums(journal: Journal, sums: readonly StepSum[]): void {
  for (const { accountId, side, step, amount } of sums) {
    const posted = isPosting(step) ? amount : 0n
    const pending = pendingBy(step, amount)
    const change =
      side === 'DEBIT'
        ? { ...zero, postedDebits: posted, pendingDebits: pending }
        : { ...zero, postedCredits: posted, pendingCredits: pending }
    journal.set(accountId, plus(journal.get(accountId) ?? zero, change))
  }
}

export function balanceDifferences(
  accounts: readonly HeldAccount[],
  journal: ReadonlyMap<number, Balances>,
): readonly BalanceDifference[] {
  return accounts.flatMap((account) => {
    const made = journal.get(account.id) ?? zero
    return kinds
      .filter((kind) => account[kind] !== made[kind])
      .map((kind) => ({ account, kind, journal: made[kind] }))
  })
}

/** Ids in the journal that are not accounts. */
export function unknownAccounts(
  accounts: readonly HeldAccount[],
  journal: ReadonlyMap<number, Balances>,
): readonly number[] {
  const known = new Set(accounts.map(({ id }) => id))
  return [...journal.keys()].filter((id) => !known.has(id)).toSorted((a, b) => a - b)
}

export function currencyDifferences(
  accounts: readonly HeldAccount[],
): readonly CurrencyDifference[] {
  const sums = new Map<string, Balances>()
  for (const account of accounts) {
    sums.set(account.currency, plus(sums.get(account.currency) ?? zero, account))
  }
  return [...sums]
    .flatMap(([currency, sum]): readonly CurrencyDifference[] => [
      { currency, kind: 'pending', debits: sum.pendingDebits, credits: sum.pendingCredits },
      { currency, kind: 'posted', debits: sum.postedDebits, credits: sum.postedCredits },
    ])
    .filter(({ debits, credits }) => debits !== credits)
}

export interface UnpaidDifference {
  readonly account: HeldAccount
  readonly made: Unpaid
}

const nothing: Unpaid = { unpaid: 0n, since: 0n }

/** Accounts whose unpaid amount, or its batch, differs from what settlements and funds out give. */
export function unpaidDifferences(
  accounts: readonly HeldAccount[],
  unpaid: ReadonlyMap<number, Unpaid>,
): readonly UnpaidDifference[] {
  return accounts
    .map((account) => ({ account, made: unpaid.get(account.id) ?? nothing }))
    .filter(
      ({ account, made }) => account.unpaid !== made.unpaid || account.unpaidSince !== made.since,
    )
}

function plus(one: Balances, other: Balances): Balances {
  return {
    postedDebits: one.postedDebits + other.postedDebits,
    pendingDebits: one.pendingDebits + other.pendingDebits,
    postedCredits: one.postedCredits + other.postedCredits,
    pendingCredits: one.pendingCredits + other.pendingCredits,
  }
}
