/**
 * A transaction commits with everything that was announced in it, or leaves nothing behind. Deadlocks
 * and serialization failures are repeated here and nowhere else, and the outbox learns the fate of
 * each transaction exactly once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { run } from './connection.ts'
import type {
  Outbox,
  OutboxTicket,
  Queries,
  Statement,
  Transaction,
  TransactionOptions,
  Value,
} from './database.ts'
import type { OutgoingMessage } from '../bus/event-bus.ts'
import { isConflict, sqlState } from './outage.ts'

/** A connection that is ours until the work is done; a discarded one is closed, not used again. */
export interface Session {
  readonly client: ClientBase
  discard(): void
}

/** Lends a connection to the work and takes it back when the work has settled. */
export type Lend = <T>(work: (session: Session) => Promise<T>) => Promise<T>

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
  session: Session,
  outbox: Outbox,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const tx = openTransaction(session.client)
  let result: T
  let ticket: OutboxTicket | undefined
  try {
    await session.client.query(begin(options))
    result = await work(tx)
    if (tx.announced.length > 0) ticket = await outbox.write(tx, tx.announced)
  } catch (error) {
    tx.end()
    await rollBack(session)
    throw error
  }
  tx.end()
  await commit(session, ticket, tx.failure())
  return result
}

function begin({ isolation, readOnly }: TransactionOptions): string {
  return `begin${isolation === undefined ? '' : ` isolation level ${isolation}`}${readOnly === true ? ' read only' : ''}`
}

/** Nothing was committed, whether ROLLBACK arrives or the connection is gone. */
async function rollBack(session: Session): Promise<void> {
  try {
    await session.client.query('rollback')
  } catch {
    session.discard()
  }
}

async function commit(
  session: Session,
  ticket: OutboxTicket | undefined,
  failure: Error | undefined,
): Promise<void> {
  let command: string
  try {
    command = (await session.client.query('commit')).command
  } catch (error) {
    if (wasRefused(error)) {
      ticket?.rolledBack()
      throw error
    }
    session.discard()
    ticket?.unknown()
    throw new Error('Connection terminated while COMMIT was under way', { cause: error })
  }
  if (command !== 'COMMIT') {
    // A statement failed, the work swallowed its error, and PostgreSQL answers COMMIT with ROLLBACK.
    ticket?.rolledBack()
    throw failure ?? new Error('The transaction was rolled back instead of committed')
  }
  ticket?.committed()
}

/** An ERROR answers COMMIT itself; a FATAL ends the connection and may come after the commit. */
function wasRefused(error: unknown): boolean {
  return sqlState(error) !== undefined && (error as { severity?: unknown }).severity === 'ERROR'
}

interface OpenTransaction extends Transaction {
  end(): void
  /** The first statement that failed. */
  failure(): Error | undefined
}

function openTransaction(client: ClientBase): OpenTransaction {
  const announced: OutgoingMessage[] = []
  let open = true
  let failed: Error | undefined
  const query: Queries['query'] = async <Row>(
    statement: Statement,
    values: readonly Value[],
  ): Promise<readonly Row[]> => {
    if (!open) throw new Error('A statement was sent on a transaction that has ended')
    try {
      return await run<Row>(client, statement, values)
    } catch (error) {
      failed ??= error as Error
      throw error
    }
  }
  return {
    announced,
    query,
    end: () => {
      open = false
    },
    failure: () => failed,
  }
}
