/**
 * The movements of one settlement step: posted together or not at all, and once for their ids,
 * however often the step is repeated.
 */
import type { States } from '@causeway/services'
import type { Transaction } from '@causeway/postgres'
import type { ThresholdAlarms } from '../alarms/threshold-alarms.ts'
import { openBook, position, type LockedRows, type Position } from '../domain/book.ts'
import type { Book } from '../domain/decision.ts'
import {
  endedStep,
  settle,
  type AccountRef,
  type Settle,
  type Settled,
  type StepRefusal,
} from '../domain/settle.ts'
import type { JournalMonths } from '../journal-months.ts'
import { lockNamed, settledTypes } from '../lock-store.ts'
import { savingOf } from '../save-store.ts'

export type EntriesPosted =
  /** Now or before. */
  | { readonly outcome: 'POSTED'; readonly positions: readonly Position[] }
  /** No money has moved. */
  | {
      readonly outcome: StepRefusal
      readonly detail: string
      /** Nothing of the step was posted, and nothing will be. */
      readonly stepEnded: boolean
    }

/** Entries of one step: all of it, or a part of a long one. */
export interface StepEntries {
  /** Unique among the ids of entries; null: the step cannot be ended. */
  readonly stepId: string | null
  /** Whether these are the first entries of the step. */
  readonly isFirst: boolean
  readonly commands: readonly Settle[]
}

export interface SettleParts {
  readonly hubName: string
  readonly states: States
  readonly months: Pick<JournalMonths, 'of'>
  readonly alarms?: ThresholdAlarms | undefined
}

export async function postEntries(
  tx: Transaction,
  { hubName, states, months, alarms }: SettleParts,
  step: StepEntries,
): Promise<EntriesPosted> {
  const { stepId, commands } = step
  const rows = await lockNamed(tx, states, {
    ids: unique([...(stepId === null ? [] : [stepId]), ...commands.map(({ id }) => id)]),
    names: unique([hubName, ...commands.flatMap(namesIn)]),
    currencies: unique(commands.map(({ currency }) => currency)),
    accountIds: [],
    types: settledTypes,
  })
  const month = months.of(rows.now)
  const book = openBook(rows)
  const ended = stepId === null ? undefined : book.entry(stepId)
  if (ended !== undefined) {
    const outcome = ended.reason === 'MISMATCH' ? 'MISMATCH' : 'ACCOUNT_MISSING'
    return { outcome, detail: 'the step was refused before', stepEnded: true }
  }
  for (const command of commands) {
    const decision = settle(book, hubName, command)
    if (decision.type === 'STORE') book.record(decision.recorded)
    else if (decision.type !== 'EXISTS') {
      return refused(tx, { rows, step, month }, reasonOf(decision, command, hubName))
    }
  }
  const changes = book.changes()
  await alarms?.afterBatch(tx, { rows, book, changes })
  const saving = savingOf(rows, changes, month)
  if (saving !== undefined) await tx.query(saving.statement, saving.values)
  return { outcome: 'POSTED', positions: positionsIn(book, commands) }
}

type PostingRefusal = Pick<
  Exclude<EntriesPosted, { readonly outcome: 'POSTED' }>,
  'outcome' | 'detail'
>

interface Refusing {
  readonly rows: LockedRows
  readonly step: StepEntries
  readonly month: string
}

function reasonOf(
  decision: Exclude<Settled, { readonly type: 'EXISTS' | 'STORE' }>,
  { id, currency }: Settle,
  hubName: string,
): PostingRefusal {
  return decision.type === 'ACCOUNT_MISSING'
    ? {
        outcome: 'ACCOUNT_MISSING',
        detail: `${wordsOf(decision.account, hubName)} in ${currency} is missing`,
      }
    : { outcome: 'MISMATCH', detail: `${id} was used before with other content` }
}

/**
 * A step that is refused before any of it was posted ends here: its id is stored as refused, so
 * another caller that continues the same step moves nothing either.
 */
async function refused(
  tx: Transaction,
  { rows, step: { stepId, isFirst, commands }, month }: Refusing,
  refusal: PostingRefusal,
): Promise<EntriesPosted> {
  const book = openBook(rows)
  const hasMoved = commands.some(({ id }) => book.entry(id)?.kind === 'SETTLEMENT')
  if (stepId === null || !isFirst || hasMoved) return { ...refusal, stepEnded: false }
  book.record(endedStep(book, stepId, refusal.outcome))
  const saving = savingOf(rows, book.changes(), month)
  if (saving !== undefined) await tx.query(saving.statement, saving.values)
  return { ...refusal, stepEnded: true }
}

function namesIn({ debit, credit }: Settle): readonly string[] {
  return [debit, credit].flatMap(({ participant }) => participant ?? [])
}

function wordsOf({ participant, type }: AccountRef, hubName: string): string {
  return `the ${type} account of ${participant ?? hubName}`
}

/** Each POSITION account that the commands name, with its current value. */
function positionsIn(book: Book, commands: readonly Settle[]): readonly Position[] {
  const positions = new Map<number, Position>()
  for (const { debit, credit, currency } of commands) {
    for (const { participant, type } of [debit, credit]) {
      if (participant === null || type !== 'POSITION') continue
      const party = book.party(participant)
      const account = party && book.accountOf(party.id, type, currency)
      if (party === undefined || account === undefined) continue
      positions.set(account.id, position(book, participant, account))
    }
  }
  return [...positions.values()]
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}
