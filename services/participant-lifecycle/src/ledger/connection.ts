/**
 * The writer's connection: there is one, it holds the ledger's lock, and when it is lost a new one
 * competes for the lock at once. Who loses the lock loses the transaction with it. The trying ends when
 * the connection is closed, or when the process is being stopped.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  Outage,
  ProcessStopping,
  retrying,
  statement,
  type ExclusiveDatabase,
  type Logger,
  type Transaction,
} from '@causeway/runtime'
import { planByKeys } from './lock-store.ts'

export interface OneConnection {
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
/** Between tries that failed for a reason that time alone may not heal. */
const pause_ms = 1_000
/** The ledger stands still meanwhile: a database that is back is not waited for any longer. */
const delay_ms_max = 200

/** @param prepare what is done on it, under the lock, before it serves */
export function keepOneConnection(
  open: (signal: AbortSignal) => Promise<ExclusiveDatabase>,
  log: Logger,
  prepare: (database: ExclusiveDatabase) => Promise<void> = planByKeys,
): OneConnection {
  const ending = new AbortController()
  const { signal } = ending
  let database: ExclusiveDatabase | undefined
  const opened = reopen()
  /** What was opened in the very moment of closing is closed as well. */
  const kept = opened
    .catch(goOnTrying)
    .then(keep)
    .then(() => database?.close())

  const isEnding = (): boolean => signal.aborted

  async function reopen(): Promise<void> {
    const options = { log, what: "taking the ledger's lock", signal, delay_ms_max }
    database = await retrying(() => openReady(open, prepare, ending), options)
  }

  async function keep(): Promise<void> {
    while (!isEnding()) {
      await database?.lost
      database = undefined
      if (isEnding()) return
      log.warn("the ledger's connection is lost, a new one is opened")
      await reopenWhateverItTakes()
    }
  }

  /** Who waits for `opened` is told; the process may still become the writer. */
  async function goOnTrying(error: unknown): Promise<void> {
    if (isEnding()) return
    log.error({ err: error }, "ALARM the ledger's lock cannot be taken")
    await reopenWhateverItTakes()
  }

  async function reopenWhateverItTakes(): Promise<void> {
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
      await kept
    },
  }
}

/**
 * A connection that comes too late, or is not ready, is closed: it would hold the lock for nobody. A
 * process that is being stopped ends all trying, though nobody has closed the connection.
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

/** Callers repeat: this process may have the lock by then, or another one. */
function notHeld(): Outage {
  return new Outage('the ledger waits for its lock')
}
