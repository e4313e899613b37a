/** Fixtures for tests of the ledger's decisions: two FSPs, their accounts, a clock, a book. */
import {
  openBook,
  decideAll,
  type BookChanges,
  type LockedRows,
  type OpenBook,
  type CommandAnswer,
} from '../domain/book.ts'
import type { TransferParty } from '../domain/decision.ts'
import type { Account } from '../domain/account.ts'
import type { Command, Deposit, Post, Reserve, Void, Withdraw } from '../domain/command.ts'
import { noEvidence, type Entry } from '../domain/entry.ts'

export const now = new Date('2026-03-01T12:00:00.000Z')
export const later = (ms: number): Date => new Date(now.getTime() + ms)
export const expiryGrace_ms = 1_000

const permits: TransferParty['permits'] = new Set(['TRANSFERS', 'FUNDS_IN', 'FUNDS_OUT'])
const able = { isActive: true, takesTransfers: true, takesBulks: true, permits }
const hub: TransferParty = { id: 1, name: 'Hub', ...able }
export const greenbank: TransferParty = { id: 2, name: 'greenbank', ...able }
export const bluewallet: TransferParty = { id: 3, name: 'bluewallet', ...able }

const empty = {
  currency: 'USD',
  isActive: true,
  debitsPosted: 0n,
  debitsPending: 0n,
  creditsPosted: 0n,
  creditsPending: 0n,
  cap: null,
  excluded: 0n,
  excludedPercentage: null,
  unpaid: 0n,
  unpaidBatch: null,
  changedAt: now,
}

const reconciliation: Account = {
  ...empty,
  id: 10,
  participantId: 1,
  type: 'HUB_RECONCILIATION',
  debitsPosted: 2_000n,
}

/** A cap of 600. */
export function positionOf(party: TransferParty, changes: Partial<Account> = {}): Account {
  const id = party.id * 10 + 1
  return { ...empty, id, participantId: party.id, type: 'POSITION', cap: 600n, ...changes }
}

/** A deposit of 1000. */
export function settlementOf(party: TransferParty, changes: Partial<Account> = {}): Account {
  const id = party.id * 10 + 2
  return {
    ...empty,
    id,
    participantId: party.id,
    type: 'SETTLEMENT',
    creditsPosted: 1_000n,
    ...changes,
  }
}

export const rows: LockedRows = {
  now,
  batch: 12n,
  windowId: 7,
  fees: new Map(),
  models: [],
  entries: [],
  heldIn: new Map(),
  parties: [hub, greenbank, bluewallet],
  accounts: [
    reconciliation,
    positionOf(greenbank),
    settlementOf(greenbank),
    positionOf(bluewallet),
    settlementOf(bluewallet),
  ],
}

/** The same rows with some accounts replaced. */
export function withAccounts(...accounts: readonly Account[]): LockedRows {
  const ids = new Set(accounts.map(({ id }) => id))
  return { ...rows, accounts: [...rows.accounts.filter(({ id }) => !ids.has(id)), ...accounts] }
}

export function withParties(...parties: readonly TransferParty[]): LockedRows {
  const ids = new Set(parties.map(({ id }) => id))
  return { ...rows, parties: [...rows.parties.filter(({ id }) => !ids.has(id)), ...parties] }
}

export function reserving(amount: bigint, changes: Partial<Reserve> = {}): Reserve {
  return {
    type: 'RESERVE',
    id: 'a-transfer',
    terms: { payer: 'greenbank', payee: 'bluewallet', amount, currency: 'USD' },
    expiresAt: later(10_000),
    settlement: { modelId: 5, settles: 'NET' },
    payerAccountId: null,
    payeeAccountId: null,
    isBulkItem: false,
    ...changes,
  }
}

export const posting: Post = {
  type: 'POST',
  id: 'a-transfer',
  receivedAt: later(1),
  evidence: Buffer.from('fulfilled'),
}

export const rejecting: Void = {
  type: 'VOID',
  id: 'a-transfer',
  expiresAt: later(10_000),
  reason: 'REJECTED',
  evidence: Buffer.from('refused by the payee'),
}

export const timingOut: Void = { ...rejecting, reason: 'TIMEOUT', evidence: noEvidence }

export const depositing: Deposit = {
  type: 'DEPOSIT',
  id: 'a-deposit',
  participant: 'greenbank',
  accountId: settlementOf(greenbank).id,
  amount: 50n,
  currency: 'USD',
  evidence: Buffer.from('bank reference'),
}

/** The same account and amount as the deposit. */
export const withdrawing: Withdraw = {
  ...depositing,
  type: 'WITHDRAW',
  id: 'a-withdrawal',
  protects: true,
  isFinal: false,
  validity_ms: 5_000,
}

export interface Played {
  readonly book: OpenBook
  readonly answers: readonly CommandAnswer[]
  /** The state after the last command, as rows for the next batch. */
  readonly rows: LockedRows
}

/** Decides the commands as one batch. */
export function play(from: LockedRows, ...commands: readonly Command[]): Played {
  const book = openBook(from)
  const answers = decideAll(book, commands, { expiryGrace_ms })
  return { book, answers, rows: nextRows(from, book.changes()) }
}

/** The rows that the next batch finds. */
export function nextRows(
  from: LockedRows,
  { entered, completed, accounts }: BookChanges,
): LockedRows {
  const held = entered.filter(({ kind }) => kind === 'FUNDS_OUT')
  return {
    ...from,
    batch: from.batch + 1n,
    entries: replaced(from.entries, [...entered, ...completed]),
    heldIn: new Map([...from.heldIn, ...held.map(({ id }) => [id, from.batch] as const)]),
    accounts: replaced(from.accounts, accounts),
  }
}

/** The same rows at another time. */
export function at(time: Date, from: LockedRows): LockedRows {
  return { ...from, now: time }
}

export function entryIn(answer: CommandAnswer | undefined): Entry {
  if (answer?.type !== 'ENTRY') throw new Error(`no entry but ${answer?.type ?? 'nothing'}`)
  return answer.entry
}

function replaced<Row extends { readonly id: string | number }>(
  old: readonly Row[],
  fresh: readonly Row[],
): readonly Row[] {
  return [...new Map([...old, ...fresh].map((row) => [row.id, row])).values()]
}
