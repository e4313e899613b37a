/**
 * The one writer of the whole ledger: everything that a decision about money reads is changed by its
 * queue alone, in arrival order, on the very connection that holds its lock. What is queued while one
 * transaction commits is the next transaction.
 */
import { gather, isOutage, type Logger, type Transaction } from '@causeway/runtime'
import type { AlarmBell } from '../alarms/bell.ts'
import type { OneConnection } from './connection.ts'
import { openBook } from './domain/book.ts'
import type { Command } from './domain/command.ts'
import { decideAll, type Answer, type Rules } from './domain/decide.ts'
import type { JournalMonths } from './journal-months.ts'
import type { States } from './domain/states.ts'
import { lockRows } from './lock-store.ts'
import { savingOf, type Saving } from './save-store.ts'

export interface Writer {
  /**
   * One answer for each command. Rejects with an outage, after which the same call is repeated; a full
   * queue is one as well.
   */
  readonly decide: (commands: readonly Command[]) => Promise<readonly Answer[]>
  /** Runs rare work in its turn, as one transaction of its own. */
  readonly alone: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Resolves when everything that was queued before has been answered. */
  readonly drained: () => Promise<void>
}

export interface WriterOptions extends Rules {
  readonly hubName: string
  /** The scheme's states of participants. */
  readonly states: States
  readonly months: Pick<JournalMonths, 'of'>
  readonly batch_max: number
  /** Most items that wait. */
  readonly queued_max: number
  readonly log: Logger
  /** Looks at what a batch has changed; absent: nobody is told. */
  readonly bell?: AlarmBell | undefined
  /** Called after each batch that committed, with the time at which it was decided. */
  readonly onBatch?: (commands: readonly Command[], answers: readonly Answer[], now: Date) => void
}

interface Alone {
  readonly type: 'ALONE'
  readonly work: (tx: Transaction) => Promise<unknown>
}

type Item = Command | Alone

type Result =
  | { readonly type: 'ANSWER'; readonly answer: Answer }
  | { readonly type: 'DONE'; readonly value: unknown }
  /** The work failed by itself; others are not concerned. */
  | { readonly type: 'FAILED'; readonly error: unknown }

export function openWriter(connection: OneConnection, options: WriterOptions): Writer {
  const { batch_max, queued_max } = options

  /** An outage rejects every call of the batch: what had committed is found again by its ids. */
  async function workOff(items: readonly Item[]): Promise<readonly Result[]> {
    const results: Result[] = []
    for (const run of runsOf(items)) {
      if (run.type === 'ALONE') {
        results.push(await runAlone(connection, run))
      } else {
        const answers = await decideBatch(connection, run.commands, options)
        for (const answer of answers) results.push({ type: 'ANSWER', answer })
      }
    }
    return results
  }

  const queue = gather(workOff, { batch_max, queued_max })
  const queued = new Set<Promise<unknown>>()

  function enqueue(items: readonly Item[]): Promise<readonly Result[]> {
    const results = queue(items)
    queued.add(results)
    const forget = () => void queued.delete(results)
    results.then(forget, forget)
    return results
  }

  return {
    async drained() {
      await Promise.allSettled(queued)
    },
    async decide(commands) {
      const results = await enqueue(commands)
      return results.map((result) => (result.type === 'ANSWER' ? result.answer : { type: 'FAULT' }))
    },
    async alone<T>(work: (tx: Transaction) => Promise<T>) {
      const [result] = await enqueue([{ type: 'ALONE', work }])
      if (result?.type === 'FAILED') throw result.error
      if (result?.type !== 'DONE') throw new Error('the ledger lost the result of a piece of work')
      return result.value as T
    },
  }
}

type Run = Alone | { readonly type: 'COMMANDS'; readonly commands: readonly Command[] }

/** Rare work cuts the queue: what came before it is committed before, what came after it after. */
function runsOf(items: readonly Item[]): readonly Run[] {
  const runs: Run[] = []
  let commands: Command[] = []
  for (const item of items) {
    if (item.type !== 'ALONE') {
      if (commands.length === 0) runs.push({ type: 'COMMANDS', commands })
      commands.push(item)
    } else {
      runs.push(item)
      commands = []
    }
  }
  return runs
}

async function runAlone(connection: OneConnection, { work }: Alone): Promise<Result> {
  try {
    return { type: 'DONE', value: await connection.transaction(work) }
  } catch (error) {
    if (isOutage(error)) throw error
    return { type: 'FAILED', error }
  }
}

/**
 * Decides the commands as one transaction. A batch that the database refuses is rolled back and
 * halved; a command that it refuses alone stores nothing and raises an alarm.
 */
async function decideBatch(
  connection: OneConnection,
  commands: readonly Command[],
  options: WriterOptions,
): Promise<readonly Answer[]> {
  try {
    const { answers, now } = await connection.transaction((tx) =>
      decideAsWhole(tx, commands, options),
    )
    options.onBatch?.(commands, answers, now)
    return answers
  } catch (error) {
    if (isOutage(error)) throw error
    const [first] = commands
    if (commands.length === 1 && first !== undefined) {
      const { id, type } = first
      options.log.error({ err: error, id, type }, 'ALARM the database refused a ledger command')
      return [{ type: 'FAULT' }]
    }
    const half = Math.ceil(commands.length / 2)
    return [
      ...(await decideBatch(connection, commands.slice(0, half), options)),
      ...(await decideBatch(connection, commands.slice(half), options)),
    ]
  }
}

/** Decides the commands inside work that goes on: the commit is the caller's. */
export async function decideIn(
  tx: Transaction,
  commands: readonly Command[],
  rules: DecidingRules,
): Promise<readonly Answer[]> {
  const { answers, saving } = await lockAndDecide(tx, commands, rules)
  if (saving !== undefined) await tx.query(saving.statement, saving.values)
  return answers
}

/** Decides the commands as all that the transaction does: one trip locks, one saves and commits. */
async function decideAsWhole(
  tx: Transaction,
  commands: readonly Command[],
  rules: DecidingRules,
): Promise<Pick<Decided, 'answers' | 'now'>> {
  const { answers, now, saving } = await lockAndDecide(tx, commands, rules)
  if (saving !== undefined) tx.finish(saving.statement, saving.values)
  return { answers, now }
}

export type DecidingRules = Pick<
  WriterOptions,
  'hubName' | 'states' | 'months' | 'expiryGrace_ms' | 'bell'
>

interface Decided {
  readonly answers: readonly Answer[]
  readonly now: Date
  readonly saving: Saving | undefined
}

async function lockAndDecide(
  tx: Transaction,
  commands: readonly Command[],
  { hubName, states, months, expiryGrace_ms, bell }: DecidingRules,
): Promise<Decided> {
  const rows = await lockRows(tx, commands, { hubName, states })
  const book = openBook(rows)
  const answers = decideAll(book, commands, { expiryGrace_ms })
  const changes = book.changes()
  // Most batches come near no limit: nothing is asked and nothing is waited for.
  await bell?.afterBatch(tx, { rows, book, changes })
  return { answers, now: rows.now, saving: savingOf(rows, changes, months.of(rows.now)) }
}
