/**
 * One writer: work runs on the connection that holds a session advisory lock, one piece after the other,
 * so a process that loses the lock loses the transaction with it. The statements of a holder on that
 * connection are its heartbeat. A process that waits for the lock ends the session of a silent holder
 * (it is frozen, or its machine is gone), and with the session its transaction and lock.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { isOutage } from '@causeway/process'
import pg from 'pg'
import type { Client } from 'pg'
import { connectionConfig, run } from './connection.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { migrating, type DatabaseOptions, type DatabaseParts } from './open.ts'
import { connecting, isConflict } from './failure.ts'
import { openLiveness } from './liveness.ts'
import { cut, watchOver } from './round-trip.ts'
import { statement } from './statement.ts'
import { transact, type Lend } from './transaction.ts'

export interface ExclusiveDatabase extends Database {
  /**
   * Resolves when the connection, and with it the lock, is gone; open it again to compete for it.
   */
  readonly lost: Promise<void>
}

export interface ExclusiveOptions extends DatabaseOptions {
  /** Names the lock inside the schema. */
  readonly lock: string
  /** Ends the wait for the lock; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const retry_ms = 25
/** Heartbeat interval of a holder without work. */
const beat_ms = 300
/**
 * How long a holder waits for a response, and then for the state of its backend. After that it has lost
 * the lock or is about to, and reports so before its own callers time out.
 */
const patience = { silent_ms: 1_000, answer_ms: 1_500 }
/** A holder that is silent for this long, without a statement in progress, counts as gone. */
const silence_ms_max = 1_500
/** How often a waiting process checks for a silent holder. */
const look_ms = 250
/**
 * The server ends the session, and so releases the lock, some 3 s after the machine of the holder is
 * gone. Without effect on a Unix socket.
 */
const machineGone =
  '-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=2 -c tcp_user_timeout=3000'
/**
 * The server notices a killed process at once between two statements, and within this time during one.
 * Without it the server first finishes the statement, however long that waits for others.
 */
const processGone = process.platform === 'win32' ? '' : '-c client_connection_check_interval=100'

const tryLock = statement('select pg_try_advisory_lock(hashtextextended($1, 0)) as given')
const beat = statement('select')

const endSilentHolder = statement(`
  select pg_terminate_backend(pid)
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and objsubid = 1 and granted and datname = current_database()
    and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)
    and state like 'idle%' and state_change < clock_timestamp() - interval '${silence_ms_max} ms'`)

/** Waits until the lock is acquired. Rejects when the connection fails or the signal aborts. */
export async function openExclusive(
  options: ExclusiveOptions,
  { outbox }: DatabaseParts,
): Promise<ExclusiveDatabase> {
  const { schema, lock, signal } = options
  const connection = { ...options, applicationName: `${schema} ${lock}` }
  await migrate(migrating(connection), options)
  const { options: session = '', ...config } = connectionConfig(connection)
  const client = new pg.Client({ ...config, options: `${session} ${machineGone} ${processGone}` })
  watchOver(client, openLiveness({ config: { ...config, options: session }, ...patience }))
  client.on('error', () => {
    // `lost` resolves, and the query in progress rejects with the same error.
  })
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await connecting(() => client.connect())
    await takeLock(client, `${schema}.${lock}`, signal)
  } catch (error) {
    await client.end()
    throw error
  }
  const lend = lendInTurn(client)
  const beating = setInterval(() => {
    // The next piece of work fails with the same error.
    if (!lend.isBusy()) lend((session) => run(session.client, beat, [])).catch(() => undefined)
  }, beat_ms)
  beating.unref()
  void lost.then(() => clearInterval(beating))
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
  let looked_ms = performance.now()
  for (;;) {
    signal?.throwIfAborted()
    const [row] = await run<{ given: boolean }>(client, tryLock, [lock])
    if (row?.given === true) return
    if (performance.now() - looked_ms >= look_ms) {
      looked_ms = performance.now()
      await run(client, endSilentHolder, [lock])
    }
    // An abort ends the pause, and is thrown above.
    await wait(retry_ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  }
}

/** Lends the one connection to one piece of work after the other; an outage ends it for all. */
function lendInTurn(
  client: Client,
): Lend & { readonly idle: () => Promise<unknown>; readonly isBusy: () => boolean } {
  let last: Promise<unknown> = Promise.resolve()
  let underWay = 0
  const discard = () => cut(client)
  const lend: Lend = (work) => {
    underWay += 1
    const turn = last.then(() => work({ client, discard }))
    last = turn
      .catch((error: unknown) => {
        if (isOutage(error) && !isConflict(error)) discard()
      })
      .finally(() => (underWay -= 1))
    return turn
  }
  return Object.assign(lend, { idle: () => last, isBusy: () => underWay > 0 })
}
