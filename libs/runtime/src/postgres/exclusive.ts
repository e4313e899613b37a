/**
 * One writer: work runs on the very connection that holds a session advisory lock, one piece after
 * the other, so who loses the lock loses the transaction with it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Client } from 'pg'
import { connectionConfig, run } from './connection.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import type { DatabaseOptions, DatabaseParts } from './open.ts'
import { isConflict, isOutage } from './outage.ts'
import { transact, type Lend } from './transaction.ts'

export interface ExclusiveDatabase extends Database {
  /** Resolves when the connection, and with it the lock, is gone; open anew to compete for it. */
  readonly lost: Promise<void>
}

export interface ExclusiveOptions extends DatabaseOptions {
  /** Names the lock inside the schema. */
  readonly lock: string
  /** Ends the wait for the lock; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const retry_ms = 25
/**
 * The server ends the session, and gives the lock away, some 3 s after the machine of the holder is gone.
 * Nothing on a socket.
 */
const machineGone =
  '-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=2 -c tcp_user_timeout=3000'
/**
 * A process that dies on a living machine is noticed at once between two statements, and no later than
 * this within one: without it the server first ends the statement, however long that waits for others.
 */
const processGone = process.platform === 'win32' ? '' : '-c client_connection_check_interval=100'

/** Waits until the lock is given. Rejects when the connection fails or the signal aborts. */
export async function openExclusive(
  options: ExclusiveOptions,
  { outbox }: DatabaseParts,
): Promise<ExclusiveDatabase> {
  const { schema, lock, signal } = options
  const connection = { ...options, applicationName: `${schema} ${lock}` }
  await migrate(connection, options.migrations)
  const { options: session = '', ...config } = connectionConfig(connection)
  const client = new pg.Client({ ...config, options: `${session} ${machineGone} ${processGone}` })
  client.on('error', () => {
    // `lost` tells it, and the query that is under way rejects with the same error.
  })
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await client.connect()
    await takeLock(client, `${schema}.${lock}`, signal)
  } catch (error) {
    await client.end()
    throw error
  }
  const lend = lendInTurn(client)
  return {
    lost,
    query: (statement, values) => lend((session) => run(session.client, statement, values)),
    transaction: (work, transactionOptions) => transact(lend, outbox, work, transactionOptions),
    close: async () => {
      await lend.idle()
      await client.end()
    },
  }
}

async function takeLock(client: Client, lock: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const { rows } = await client.query<{ given: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as given',
      [lock],
    )
    if (rows[0]?.given === true) return
    // An abort ends the pause, and is thrown above.
    await wait(retry_ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  }
}

/** Lends the one connection to one piece of work after the other; an outage ends it for all. */
function lendInTurn(client: Client): Lend & { readonly idle: () => Promise<unknown> } {
  let last: Promise<unknown> = Promise.resolve()
  const discard = () => void client.end()
  const lend: Lend = (work) => {
    const turn = last.then(() => work({ client, discard }))
    last = turn.catch((error: unknown) => {
      if (isOutage(error) && !isConflict(error)) discard()
    })
    return turn
  }
  return Object.assign(lend, { idle: () => last })
}
