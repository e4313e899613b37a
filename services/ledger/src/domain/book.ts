/**
 * The book: the locked rows of a batch, in memory, and the decisions about its commands. Each is decided on
 * the book as changed by the commands before it, so any split of the same commands into batches gives the
 * same entries and balances. The changes are collected and saved at the end of the batch.
 */
import type { DecimalBounds } from '@causeway/money'
import { coverOf, feesOwed, moved, valueOf, type Account } from './account.ts'
import type { Command } from './command.ts'
import type { Book, Decision, FundsRefusal, TransferParty, Recorded } from './decision.ts'
import { deposit } from './deposit.ts'
import type { Entry } from './entry.ts'
import type { FeeRule } from './fee.ts'
import { ruleInForce, type ModelRule } from './model-rule.ts'
import type { Movement } from './movement.ts'
import { openPosition } from './opening.ts'
import { post, release, reserve } from './transfer.ts'
import { endWithdrawal, withdraw } from './withdraw.ts'

export interface JournalLine extends Movement {
  readonly entryId: string
}

/** What a window gains on one account under one model. */
export interface WindowGain {
  readonly modelId: number
  readonly accountId: number
  readonly net: bigint
  readonly count: number
}

/** A settlement entry whose amount its participant pays by funds out. */
export interface Debt {
  readonly entryId: string
  readonly accountId: number
}

/** The rows as they were read and locked. */
export interface LockedRows {
  /** The database's clock, read when the locks were held. */
  readonly now: Date
  /** Numbers the batches in the order of their commits. */
  readonly batch: bigint
  readonly windowId: number
  /** Interchange fees by currency. */
  readonly fees: ReadonlyMap<string, FeeRule>
  /** The rules of all models, in the order of their ids; empty when every one is the usual. */
  readonly models: readonly ModelRule[]
  readonly entries: readonly Entry[]
  /** The batch in which each of the funds out among them was held, by id. */
  readonly heldIn: ReadonlyMap<string, bigint>
  readonly parties: readonly TransferParty[]
  readonly accounts: readonly Account[]
}

/** What a batch changed, each row once, in its last state. */
export interface BookChanges {
  readonly entered: readonly Entry[]
  /** Entries that were reserved before this batch and are final now. */
  readonly completed: readonly Entry[]
  readonly accounts: readonly Account[]
  /** Whether the unpaid amount of an account has changed. */
  readonly isUnpaidChanged: boolean
  /** Amounts that settlements left unpaid. */
  readonly debts: readonly Debt[]
  readonly journal: readonly JournalLine[]
  readonly gains: readonly WindowGain[]
}

export interface OpenBook extends Book {
  /** Stores the entry and makes its movements. */
  record(recorded: Recorded): void
  changes(): BookChanges
}

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

export type CommandAnswer =
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
): readonly CommandAnswer[] {
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

function answerOf(book: Book, decision: Decision): CommandAnswer {
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

export function openBook(rows: LockedRows, decimals?: DecimalBounds): OpenBook {
  const { now, windowId } = rows
  const entries = new Map(rows.entries.map((entry) => [entry.id, entry]))
  const known = new Set(entries.keys())
  const parties = new Map(rows.parties.map((party) => [party.name, party]))
  const accounts = openAccounts(rows)
  const changedEntries = new Set<string>()
  const journal: JournalLine[] = []
  const gains = collectGains()

  return {
    now,
    windowId,
    decimals,
    entry: (id) => entries.get(id),
    party: (name) => parties.get(name),
    account: accounts.account,
    accountOf: accounts.accountOf,
    feeRule: (currency) => rows.fees.get(currency),
    models: rows.models,
    record({ entry, movements, unpaidOn }) {
      entries.set(entry.id, entry)
      changedEntries.add(entry.id)
      for (const movement of movements) {
        accounts.move(movement)
        journal.push({ entryId: entry.id, ...movement })
        if (entry.kind === 'FUNDS_OUT') accounts.payOut(entry, movement)
        if (unpaidOn !== undefined) accounts.owe(entry.id, unpaidOn, movement.amount)
      }
      gains.add(entry)
    },
    changes() {
      const changed = present([...changedEntries].map((id) => entries.get(id)))
      return {
        entered: changed.filter(({ id }) => !known.has(id)),
        completed: changed.filter(({ id }) => known.has(id)),
        ...accounts.changes(),
        journal,
        gains: gains.all(),
      }
    },
  }
}

interface OpenAccounts extends Pick<Book, 'account' | 'accountOf'> {
  move(movement: Movement): void
  /** Records an amount to be paid by funds out; funds out already held do not pay it. */
  owe(entryId: string, accountId: number, amount: bigint): void
  /** Committed funds out pay what is owed. */
  payOut(entry: Entry, movement: Movement): void
  changes(): Pick<BookChanges, 'accounts' | 'isUnpaidChanged' | 'debts'>
}

function openAccounts(rows: LockedRows): OpenAccounts {
  const accounts = new Map(rows.accounts.map((account) => [account.id, account]))
  const owned = groupByOwner(rows.accounts)
  const changed = new Set<number>()
  const debts: Debt[] = []
  let isUnpaidChanged = false

  function locked(id: number): Account {
    const account = accounts.get(id)
    if (account === undefined) throw new Error(`account ${id} is moved but was not locked`)
    return account
  }

  function setUnpaid(account: Account, unpaid: bigint, unpaidBatch: bigint | null): void {
    if (unpaid === account.unpaid) return
    accounts.set(account.id, { ...account, unpaid, unpaidBatch })
    changed.add(account.id)
    isUnpaidChanged = true
  }

  return {
    account: (id) => accounts.get(id),
    accountOf(participantId, type, currency) {
      const found = owned
        .get(participantId)
        ?.find((one) => one.type === type && one.currency === currency)
      return found && accounts.get(found.id)
    },
    move({ step, amount, debitAccountId, creditAccountId }) {
      const change = { step, amount, at: rows.now }
      accounts.set(debitAccountId, moved(locked(debitAccountId), 'DEBIT', change))
      accounts.set(creditAccountId, moved(locked(creditAccountId), 'CREDIT', change))
      changed.add(debitAccountId).add(creditAccountId)
    },
    owe(entryId, accountId, amount) {
      const account = locked(accountId)
      const { unpaid, unpaidBatch, debitsPending } = account
      const isFirst = unpaid === 0n
      const added = isFirst ? debitsPending + amount : amount
      setUnpaid(account, unpaid + added, isFirst ? rows.batch : unpaidBatch)
      debts.push({ entryId, accountId })
    },
    payOut({ id }, { step, amount, debitAccountId }) {
      const account = locked(debitAccountId)
      const { unpaid, unpaidBatch } = account
      // Ordered by commits, because a clock may be set back.
      const wasHeldBefore =
        unpaidBatch !== null && (rows.heldIn.get(id) ?? rows.batch) < unpaidBatch
      if (step !== 'POST' && !(step === 'VOID' && wasHeldBefore)) return
      const left = unpaid > amount ? unpaid - amount : 0n
      setUnpaid(account, left, left === 0n ? null : unpaidBatch)
    },
    changes: () => ({
      accounts: present([...changed].map((id) => accounts.get(id))),
      isUnpaidChanged,
      debts,
    }),
  }
}

/** Sums the posted transfers of the window by model and account. */
function collectGains(): { add(entry: Entry): void; all(): readonly WindowGain[] } {
  const gains = new Map<string, WindowGain>()

  function add(modelId: number, accountId: number, net: bigint): void {
    const key = `${modelId}/${accountId}`
    const before = gains.get(key)
    gains.set(key, {
      modelId,
      accountId,
      net: (before?.net ?? 0n) + net,
      count: (before?.count ?? 0) + 1,
    })
  }

  return {
    add({ windowId, terms, accounts, settlement }) {
      if (windowId === null || terms === null || accounts === null || settlement === null) return
      add(settlement.modelId, accounts.debitAccountId, terms.amount)
      add(settlement.modelId, accounts.creditAccountId, -terms.amount)
    },
    all: () => [...gains.values()],
  }
}

/** A participant has few accounts, so a linear search costs less than building a key. */
function groupByOwner(accounts: readonly Account[]): ReadonlyMap<number, readonly Account[]> {
  const owned = new Map<number, Account[]>()
  for (const account of accounts) {
    const group = owned.get(account.participantId)
    if (group === undefined) owned.set(account.participantId, [account])
    else group.push(account)
  }
  return owned
}

function present<Value>(values: readonly (Value | undefined)[]): readonly Value[] {
  return values.filter((value) => value !== undefined)
}
