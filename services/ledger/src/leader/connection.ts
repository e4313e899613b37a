/**
 * The writer's connection. It holds the ledger's lock; when it is lost, the process competes for
 * the lock again at once. A process that loses the lock loses its transaction with it. Retrying
 * ends when the connection is closed or the process is being stopped.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { statement, type ExclusiveDatabase, type Transaction } from '@causeway/postgres'
import { Outage, ProcessStopping, retrying, type Logger } from '@causeway/process'
import { planByKeys } from '../lock-store.ts'

export interface LeaderConnection {
  /** Rejects with an outage while the lock is not held. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Resolves when the lock is held for the first time. */
  readonly opened: Promise<void>
  holdsLock(): boolean
  /** Makes a trip on the connection; rejects with an outage while the lock is not held. */
  answers(): Promise<void>
  /** Resolves when nothing is left open, neither held nor being opened. */
  close(): Promise<void>
}

const nothing = statement('select')
/** Pause after an attempt that failed for another reason than an outage. */
const pause_ms = 1_000
/**
 * Upper bound of the retry delay: the ledger is unavailable meanwhile, so a database that is back
 * must be noticed soon.
 */
const delay_ms_max = 200

/** @param prepare prepares the connection under the lock, before it is used */
export function openLeaderConnection(
  open: (signal: AbortSignal) => Promise<ExclusiveDatabase>,
  log: Logger,
  prepare: (database: ExclusiveDatabase) => Promise<void> = planByKeys,
): LeaderConnection {
  const ending = new AbortController()
  const { signal } = ending
  let database: ExclusiveDatabase | undefined
  const opened = reopen()
  /** A connection opened while this one closes is closed as well. */
  const maintained = opened
    .catch(keepRetrying)
    .then(replaceWhenLost)
    .then(() => database?.close())

  const isEnding = (): boolean => signal.aborted

  async function reopen(): Promise<void> {
    const options = { log, what: "taking the ledger's lock", signal, delay_ms_max }
    database = await retrying(() => openReady(open, prepare, ending), options)
  }

  async function replaceWhenLost(): Promise<void> {
    while (!isEnding()) {
      await database?.lost
      database = undefined
      if (isEnding()) return
      log.warn("the ledger's connection is lost, a new one is opened")
      await reopenUntilStopped()
    }
  }

  /** Callers that wait for `opened` get the error; the process may still become the writer. */
  async function keepRetrying(error: unknown): Promise<void> {
    if (isEnding()) return
    log.error({ err: error }, "ALARM the ledger's lock cannot be taken")
    await reopenUntilStopped()
  }

  async function reopenUntilStopped(): Promise<void> {
    while (database === undefined && !isEnding()) {
      try {
        await reopen()
      } catch (error) {
        if (isEnding()) return
        log.error({ err: error }, "ALARM the ledger's lock cannot be taken")
        await wait(pause_ms, undefined, { signal }).catch(isEnding)
      }
    }
  }

  return {
    opened,
    holdsLock: () => database !== undefined,
    async answers() {
      if (database === undefined) throw notHeld()
      await database.query(nothing, [])
    },
    transaction(work) {
      if (database === undefined) return Promise.reject(notHeld())
      return database.transaction(work)
    },
    async close() {
      ending.abort()
      await database?.close()
      await maintained
    },
  }
}

/**
 * A connection that opens too late, or fails its preparation, is closed: it would hold the lock
 * unused. A process that is being stopped ends all retries, even if `close` was not called.
 */
async function openReady(
  open: (signal: AbortSignal) => Promise<ExclusiveDatabase>,
  prepare: (database: ExclusiveDatabase) => Promise<void>,
  ending: AbortController,
): Promise<ExclusiveDatabase> {
  try {
    const database = await open(ending.signal)
    try {
      await prepare(database)
      ending.signal.throwIfAborted()
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  } catch (error) {
    if (error instanceof ProcessStopping) ending.abort(error)
    throw error
  }
}

/** Callers retry: by then this process or another one may hold the lock. */
function notHeld(): Outage {
  return new Outage('the ledger waits for its lock')
}
