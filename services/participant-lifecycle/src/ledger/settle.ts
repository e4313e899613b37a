/**
 * The movements of one step of a settlement: posted together or not at all, and once for their ids,
 * however often the step is repeated.
 */
import type { Transaction } from '@causeway/runtime'
import type { AlarmBell } from '../alarms/bell.ts'
import { openBook, type Book } from './domain/book.ts'
import { position, type Position } from './domain/decide.ts'
import { settle, type AccountPlace, type Settle } from './domain/settle.ts'
import type { States } from './domain/states.ts'
import { lockNamed, settledTypes } from './lock-store.ts'
import { savingOf } from './save-store.ts'

export type EntriesPosted =
  /** Now or before. */
  | { readonly outcome: 'POSTED'; readonly positions: readonly Position[] }
  /** Nothing has changed. */
  | { readonly outcome: 'ACCOUNT_MISSING' | 'MISMATCH'; readonly detail: string }

export interface SettleParts {
  readonly hubName: string
  readonly states: States
  readonly bell?: AlarmBell | undefined
}

export async function postEntries(
  tx: Transaction,
  { hubName, states, bell }: SettleParts,
  commands: readonly Settle[],
): Promise<EntriesPosted> {
  const rows = await lockNamed(tx, states, {
    ids: unique(commands.map(({ id }) => id)),
    names: unique([hubName, ...commands.flatMap(namesIn)]),
    currencies: unique(commands.map(({ currency }) => currency)),
    accountIds: [],
    types: settledTypes,
  })
  const book = openBook(rows)
  for (const command of commands) {
    const decision = settle(book, hubName, command)
    if (decision.type === 'ACCOUNT_MISSING') {
      const detail = `${wordsOf(decision.place, hubName)} in ${command.currency} is missing`
      return { outcome: 'ACCOUNT_MISSING', detail }
    }
    if (decision.type === 'MISMATCH') {
      return { outcome: 'MISMATCH', detail: `${command.id} was used before with other content` }
    }
    if (decision.type === 'STORE') book.record(decision.recorded)
  }
  const changes = book.changes()
  await bell?.afterBatch(tx, { rows, book, changes })
  const saving = savingOf(rows, changes)
  if (saving !== undefined) await tx.query(saving.statement, saving.values)
  return { outcome: 'POSTED', positions: positionsIn(book, commands) }
}

function namesIn({ debit, credit }: Settle): readonly string[] {
  return [debit, credit].flatMap(({ participant }) => participant ?? [])
}

function wordsOf({ participant, type }: AccountPlace, hubName: string): string {
  return `the ${type} account of ${participant ?? hubName}`
}

/** Each POSITION account that the commands name, as it stands now. */
function positionsIn(book: Book, commands: readonly Settle[]): readonly Position[] {
  const positions = new Map<number, Position>()
  for (const { debit, credit, currency } of commands) {
    for (const { participant, type } of [debit, credit]) {
      if (participant === null || type !== 'POSITION') continue
      const party = book.party(participant)
      const account = party && book.accountOf(party.id, type, currency)
      if (party === undefined || account === undefined) continue
      const settlement = book.accountOf(party.id, 'SETTLEMENT', currency)
      positions.set(account.id, position(participant, account, settlement))
    }
  }
  return [...positions.values()]
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}
