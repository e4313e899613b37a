/**
 * A transaction commits with everything that was announced in it, or leaves nothing behind.
 * Deadlocks and serialization failures are repeated here and nowhere else, and the outcome of each
 * transaction is reported to the outbox exactly once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { isOutage, Outage } from '@causeway/process'
import type { ClientBase } from 'pg'
import type {
  Outbox,
  OutboxTicket,
  Statement,
  Transaction,
  TransactionOptions,
  Value,
} from './database.ts'
import type { OutgoingMessage } from './outgoing-message.ts'
import { isConflict, sqlState, wasRefused } from './failure.ts'
import { roundTrip, type BoundStatement } from './round-trip.ts'
import { statement } from './statement.ts'

/** A connection reserved until the work is done; a discarded one is closed, not used again. */
export interface ReservedConnection {
  readonly client: ClientBase
  discard(): void
}

/** Lends a connection to the work and takes it back when the work has settled. */
export type Lend = <T>(work: (session: ReservedConnection) => Promise<T>) => Promise<T>

const attempts_max = 10
const repeat_delay_ms_min = 5
const repeat_delay_ms_max = 250

/** Runs the work until it commits, or fails with something that a repeat would not change. */
export async function transact<T>(
  lend: Lend,
  outbox: Outbox,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lend((session) => attemptOnce(session, outbox, work, options))
    } catch (error) {
      if (!isConflict(error) || attempt === attempts_max) throw error
      const delay_ms = Math.min(repeat_delay_ms_min * 2 ** attempt, repeat_delay_ms_max)
      await wait(delay_ms * Math.random())
    }
  }
}

async function attemptOnce<T>(
  session: ReservedConnection,
  outbox: Outbox,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const tx = openTransaction(session.client, options)
  let result: T
  try {
    result = await work(tx)
  } catch (error) {
    await undo(session, tx, error)
    throw error
  }
  if (tx.announced.length === 0) await commitAlone(session, tx)
  else await commitWithOutbox(session, tx, outbox)
  return result
}

const beginnings = {
  'read committed': statement('begin isolation level read committed'),
  'repeatable read': statement('begin isolation level repeatable read'),
  'read committed, read only': statement('begin isolation level read committed read only'),
  'repeatable read, read only': statement('begin isolation level repeatable read read only'),
} as const

function beginningOf({
  isolation = 'read committed',
  readOnly,
}: TransactionOptions): BoundStatement {
  const kind = readOnly === true ? (`${isolation}, read only` as const) : isolation
  return { statement: beginnings[kind], values: [] }
}

const commit: BoundStatement = { statement: statement('commit'), values: [] }
const rollback: BoundStatement = { statement: statement('rollback'), values: [] }

/** Nothing was committed, whether ROLLBACK arrives or the connection is gone. */
async function undo(
  session: ReservedConnection,
  tx: OpenTransaction,
  reason: unknown,
): Promise<void> {
  tx.end()
  if (!tx.hasBegun()) return
  // A lost connection gets no response to ROLLBACK either.
  if (isOutage(reason) && !isConflict(reason)) return session.discard()
  try {
    await roundTrip(session.client, [rollback])
  } catch {
    session.discard()
  }
}

async function commitAlone(session: ReservedConnection, tx: OpenTransaction): Promise<void> {
  tx.end()
  if (tx.isEmpty()) return
  let did: string | undefined
  try {
    did = (await roundTrip(session.client, [...tx.takeRest(), commit])).at(-1)?.did
  } catch (error) {
    if (!wasRefused(error)) throw lostAnswer(session, error)
    await undo(session, tx, error)
    throw isAborted(error) ? (tx.failure() ?? error) : error
  }
  if (did !== 'COMMIT') throw tx.failure() ?? notCommitted()
}

type CommitOutcome =
  | { readonly type: 'open' }
  | { readonly type: 'committed' }
  | { readonly type: 'unknown'; readonly error: Error }

/** COMMIT is sent with the statement that writes the messages. */
async function commitWithOutbox(
  session: ReservedConnection,
  tx: OpenTransaction,
  outbox: Outbox,
): Promise<void> {
  tx.end()
  let outcome: CommitOutcome = { type: 'open' }
  let isWritten = false
  const query = async <Row>(lastStatement: Statement, values: readonly Value[]) => {
    if (isWritten) throw new Error('The outbox writes with one statement')
    isWritten = true
    const steps = [...tx.takeRest(), { statement: lastStatement, values }, commit]
    try {
      const answers = await roundTrip(session.client, steps)
      // A transaction that failed before refuses the statement.
      outcome = { type: 'committed' }
      return (answers.at(-2)?.rows ?? []) as readonly Row[]
    } catch (error) {
      if (wasRefused(error)) throw error
      // The statement may have run and may even be committed: the ticket reports it, not the writer.
      outcome = { type: 'unknown', error: lostAnswer(session, error) }
      return []
    }
  }
  let ticket: OutboxTicket
  try {
    ticket = await outbox.write({ query }, tx.announced)
  } catch (error) {
    await undo(session, tx, error)
    throw isAborted(error) ? (tx.failure() ?? error) : error
  }
  settle(ticket, outcome)
}

function settle(ticket: OutboxTicket, outcome: CommitOutcome): void {
  switch (outcome.type) {
    case 'committed':
      ticket.committed()
      return
    case 'unknown':
      ticket.unknown()
      throw outcome.error
    case 'open':
      ticket.rolledBack()
      throw new Error('The outbox wrote nothing')
  }
}

/** An earlier statement failed and the work continued nevertheless. */
function isAborted(error: unknown): boolean {
  return sqlState(error) === '25P02'
}

function notCommitted(): Error {
  return new Error('PostgreSQL rolled the transaction back instead of committing it')
}

function lostAnswer(session: ReservedConnection, cause: unknown): Outage {
  session.discard()
  return new Outage('the connection was lost while COMMIT was in progress', { cause })
}

interface OpenTransaction extends Transaction {
  /** No further statement is accepted. */
  end(): void
  /** There is nothing to commit. */
  isEmpty(): boolean
  /** Statements that have not been sent: BEGIN, if none was, and the statement that is to run last. */
  takeRest(): readonly BoundStatement[]
  hasBegun(): boolean
  /** The first statement that failed. */
  failure(): Error | undefined
}

/** A statement that waits for the others of its turn of the event loop. */
interface QueuedStatement {
  readonly step: BoundStatement
  readonly resolve: (rows: readonly unknown[]) => void
  readonly reject: (error: unknown) => void
}

function openTransaction(client: ClientBase, options: TransactionOptions): OpenTransaction {
  const announced: OutgoingMessage[] = []
  let beginning: readonly BoundStatement[] = [beginningOf(options)]
  let last: readonly BoundStatement[] = []
  let asked: readonly QueuedStatement[] = []
  let ended = false
  let failed: Error | undefined

  const takeBeginning = () => {
    const steps = beginning
    beginning = []
    return steps
  }

  async function sendAsked(): Promise<void> {
    const together = asked
    asked = []
    const before = takeBeginning()
    try {
      const answers = await roundTrip(client, [...before, ...together.map(({ step }) => step)])
      for (const [at, { resolve }] of together.entries()) {
        resolve(answers[before.length + at]?.rows ?? [])
      }
    } catch (error) {
      failed ??= error as Error
      for (const { reject } of together) reject(error)
    }
  }

  function refuseAfterEnd(): void {
    if (ended) throw new Error('A statement was sent on a transaction that has ended')
  }

  return {
    announced,
    async query<Row>(each: Statement, values: readonly Value[]) {
      refuseAfterEnd()
      return new Promise((resolve: (rows: readonly unknown[]) => void, reject) => {
        if (asked.length === 0) queueMicrotask(() => void sendAsked())
        asked = [...asked, { step: { statement: each, values }, resolve, reject }]
      }) as Promise<readonly Row[]>
    },
    finish(statementOfEnd, values) {
      refuseAfterEnd()
      ended = true
      last = [{ statement: statementOfEnd, values }]
    },
    end: () => {
      ended = true
    },
    isEmpty: () => beginning.length > 0 && last.length === 0,
    takeRest: () => {
      const steps = [...takeBeginning(), ...last]
      last = []
      return steps
    },
    hasBegun: () => beginning.length === 0,
    failure: () => failed,
  }
}
