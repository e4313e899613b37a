/**
 * The single writer of the ledger. Everything that a decision about money reads is changed only by
 * its queue, in order of arrival, on the connection that holds the lock. Items queued while one
 * transaction commits form the next transaction.
 */
import type { States } from '@causeway/services'
import type { DecimalBounds } from '@causeway/money'
import type { Transaction } from '@causeway/postgres'
import { gather, isOutage, keepOrigin, type Logger } from '@causeway/process'
import type { ThresholdAlarms } from './alarms/threshold-alarms.ts'
import type { LeaderConnection } from './leader/connection.ts'
import { openBook, decideAll, type CommandAnswer, type Rules } from './domain/book.ts'
import type { Command } from './domain/command.ts'
import type { JournalMonths } from './journal-months.ts'
import { lockRows } from './lock-store.ts'
import { savingOf, type Saving } from './save-store.ts'

export interface Writer {
  /**
   * One answer for each command. Rejects with an outage, after which the same call is repeated; a
   * full queue counts as one.
   */
  readonly decide: (commands: readonly Command[]) => Promise<readonly CommandAnswer[]>
  /** Runs work in its turn, in its own transaction; for rare work. */
  readonly runExclusive: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Resolves when all items queued before have been answered. */
  readonly drained: () => Promise<void>
}

export interface WriterOptions extends Rules {
  readonly hubName: string
  /** How fine amounts may be now; absent: four decimals. */
  readonly decimals?: (() => DecimalBounds | undefined) | undefined
  /** The scheme's states of participants. */
  readonly states: States
  readonly months: Pick<JournalMonths, 'of'>
  readonly batch_max: number
  /** The maximum number of waiting items. */
  readonly queued_max: number
  readonly log: Logger
  /** Checks the changes of a batch; absent: no alarms. */
  readonly alarms?: ThresholdAlarms | undefined
  /** Called after each batch that committed, with the time at which it was decided. */
  readonly onBatch?: (
    commands: readonly Command[],
    answers: readonly CommandAnswer[],
    now: Date,
  ) => void
}

interface ExclusiveWork {
  readonly type: 'EXCLUSIVE'
  readonly work: (tx: Transaction) => Promise<unknown>
}

type QueueItem = Command | ExclusiveWork

type QueueItemResult =
  | { readonly type: 'ANSWER'; readonly answer: CommandAnswer }
  | { readonly type: 'DONE'; readonly value: unknown }
  /** Only this work failed; other items are not affected. */
  | { readonly type: 'FAILED'; readonly error: unknown }

export function openWriter(connection: LeaderConnection, options: WriterOptions): Writer {
  const { batch_max, queued_max } = options

  /** An outage rejects every call of the batch: a repeat finds what was committed by its ids. */
  async function processBatch(items: readonly QueueItem[]): Promise<readonly QueueItemResult[]> {
    const results: QueueItemResult[] = []
    for (const run of runsOf(items)) {
      if (run.type === 'EXCLUSIVE') {
        results.push(await runInTransaction(connection, run))
      } else {
        const answers = await decideBatch(connection, run.commands, options)
        for (const answer of answers) results.push({ type: 'ANSWER', answer })
      }
    }
    return results
  }

  const queue = gather(processBatch, { batch_max, queued_max })
  const queued = new Set<Promise<unknown>>()

  function enqueue(items: readonly QueueItem[]): Promise<readonly QueueItemResult[]> {
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
    async runExclusive<T>(work: (tx: Transaction) => Promise<T>) {
      const [result] = await enqueue([{ type: 'EXCLUSIVE', work: keepOrigin(work) }])
      if (result?.type === 'FAILED') throw result.error
      if (result?.type !== 'DONE') throw new Error('the ledger has no result for exclusive work')
      return result.value as T
    },
  }
}

type QueueRun = ExclusiveWork | { readonly type: 'COMMANDS'; readonly commands: readonly Command[] }

/** Exclusive work splits the queue: earlier commands commit before it, later ones after it. */
function runsOf(items: readonly QueueItem[]): readonly QueueRun[] {
  const runs: QueueRun[] = []
  let commands: Command[] = []
  for (const item of items) {
    if (item.type !== 'EXCLUSIVE') {
      if (commands.length === 0) runs.push({ type: 'COMMANDS', commands })
      commands.push(item)
    } else {
      runs.push(item)
      commands = []
    }
  }
  return runs
}

async function runInTransaction(
  connection: LeaderConnection,
  { work }: ExclusiveWork,
): Promise<QueueItemResult> {
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
  connection: LeaderConnection,
  commands: readonly Command[],
  options: WriterOptions,
): Promise<readonly CommandAnswer[]> {
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

/** Decides the commands inside the caller's transaction; the caller commits. */
export async function decideIn(
  tx: Transaction,
  commands: readonly Command[],
  rules: DecidingRules,
): Promise<readonly CommandAnswer[]> {
  const { answers, saving } = await lockAndDecide(tx, commands, rules)
  if (saving !== undefined) await tx.query(saving.statement, saving.values)
  return answers
}

/** Decides the commands as a complete transaction: one round trip locks, one saves and commits. */
async function decideAsWhole(
  tx: Transaction,
  commands: readonly Command[],
  rules: DecidingRules,
): Promise<Pick<DecidedBatch, 'answers' | 'now'>> {
  const { answers, now, saving } = await lockAndDecide(tx, commands, rules)
  if (saving !== undefined) tx.finish(saving.statement, saving.values)
  return { answers, now }
}

export type DecidingRules = Pick<
  WriterOptions,
  'hubName' | 'decimals' | 'states' | 'months' | 'expiryGrace_ms' | 'alarms'
>

interface DecidedBatch {
  readonly answers: readonly CommandAnswer[]
  readonly now: Date
  readonly saving: Saving | undefined
}

async function lockAndDecide(
  tx: Transaction,
  commands: readonly Command[],
  { hubName, decimals, states, months, expiryGrace_ms, alarms }: DecidingRules,
): Promise<DecidedBatch> {
  const rows = await lockRows(tx, commands, { hubName, states })
  const book = openBook(rows, decimals?.())
  const answers = decideAll(book, commands, { expiryGrace_ms })
  const changes = book.changes()
  // Most batches come near no limit and need no query.
  await alarms?.afterBatch(tx, { rows, book, changes })
  return { answers, now: rows.now, saving: savingOf(rows, changes, months.of(rows.now)) }
}
