/**
 * Whether the ledger agrees with itself: accounts with the journal, the journal with the entries, the
 * windows with what was posted in them. A difference is a sentence that names ids and amounts.
 */
import { formatAmount } from '@causeway/money'
import type { Database } from '@causeway/runtime'
import {
  accountDifferences,
  currencyDifferences,
  entryDifferences,
  orphanLines,
  stampDifferences,
  windowDifferences,
  type Balance,
} from './verify-store.ts'

export interface Verified {
  readonly accountsCompared: number
  /** At most `differences_max`; the rest is counted in a last sentence. */
  readonly differences: readonly string[]
}

/** Pages keep each transaction short. */
const accounts_per_page = 1_000
const entries_per_page = 5_000
const differences_max = 1_000

const snapshot = { isolation: 'repeatable read', readOnly: true } as const

export async function verifyLedger(database: Database): Promise<Verified> {
  const differences: string[] = []
  const accountsCompared = await compareAccounts(database, differences)
  await compareEntries(database, differences)
  differences.push(...(await database.transaction(currencyDifferences, snapshot)).map(inCurrency))
  differences.push(...(await database.transaction(orphanLines, snapshot)).map(inJournalAlone))
  differences.push(...(await database.transaction(stampDifferences, snapshot)).map(inStamp))
  differences.push(...(await database.transaction(windowDifferences, snapshot)).map(inWindow))
  return { accountsCompared, differences: bounded(differences) }
}

async function compareAccounts(database: Database, differences: string[]): Promise<number> {
  let compared = 0
  let afterId = 0
  for (;;) {
    const page = await database.transaction(
      (tx) => accountDifferences(tx, afterId, accounts_per_page),
      snapshot,
    )
    differences.push(...page.different.map(inAccount))
    compared += page.compared
    if (page.compared < accounts_per_page) return compared
    afterId = page.lastId
  }
}

async function compareEntries(database: Database, differences: string[]): Promise<void> {
  let afterId = ''
  for (;;) {
    const page = await database.transaction(
      (tx) => entryDifferences(tx, afterId, entries_per_page),
      snapshot,
    )
    for (const { id, kind, outcome, steps, expected } of page.different) {
      differences.push(
        `Entry ${id} (${kind}, ${outcome}) has the journal steps ${list(steps)} instead of ${list(expected)}.`,
      )
    }
    if (page.compared < entries_per_page) return
    afterId = page.lastId
  }
}

function inAccount({ id, participant, type, currency, balance, stored, journal }: Balance): string {
  return `Account ${id} (${participant}, ${type}, ${currency}) holds ${balance} ${amount(stored)}, its journal makes ${amount(journal)}.`
}

function inCurrency(difference: {
  readonly currency: string
  readonly kind: string
  readonly debits: string
  readonly credits: string
}): string {
  const { currency, kind, debits, credits } = difference
  return `The ${kind} debits of all ${currency} accounts are ${amount(debits)}, their credits ${amount(credits)}.`
}

function inJournalAlone(line: {
  readonly entry_id: string
  readonly step: string
  readonly amount: string
}): string {
  return `The journal has ${line.step} of ${amount(line.amount)} for ${line.entry_id}, which is no entry.`
}

function inStamp(entry: {
  readonly id: string
  readonly amount: string
  readonly settles: string | null
  readonly window_id: number | null
}): string {
  const { id, settles, window_id } = entry
  return `The posted transfer ${id} of ${amount(entry.amount)} (${settles ?? 'no model'}) is in ${window_id === null ? 'no window' : `window ${window_id}`}.`
}

function inWindow(difference: {
  readonly window_id: number
  readonly model_id: number
  readonly account_id: number
  readonly net: string
  readonly transfers_count: string
  readonly entries_net: string
  readonly entries_count: string
}): string {
  const { window_id, model_id, account_id, net, transfers_count } = difference
  return `Window ${window_id} has a net of ${amount(net)} in ${transfers_count} transfers for account ${account_id} under model ${model_id}, its entries make ${amount(difference.entries_net)} in ${difference.entries_count}.`
}

function amount(units: string): string {
  return formatAmount(BigInt(units))
}

function list(steps: string): string {
  return steps === '' ? 'none' : steps
}

function bounded(differences: readonly string[]): readonly string[] {
  if (differences.length <= differences_max) return differences
  const rest = differences.length - differences_max
  return [...differences.slice(0, differences_max), `There are ${rest} more differences.`]
}
