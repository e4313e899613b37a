/**
 * The writer's connection: there is one, it holds the ledger's lock, and when it is lost a new one
 * competes for the lock at once. Who loses the lock loses the transaction with it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  isOutage,
  retrying,
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
  close(): Promise<void>
}

/** Between tries that failed for a reason that time alone may not heal. */
const pause_ms = 1_000

export function keepOneConnection(
  open: (signal: AbortSignal) => Promise<ExclusiveDatabase>,
  log: Logger,
): OneConnection {
  const closing = new AbortController()
  const { signal } = closing
  let database: ExclusiveDatabase | undefined
  const opened = reopen()
  const kept = opened.catch(goOnTrying).then(keep)

  async function reopen(): Promise<void> {
    database = await retrying(
      async () => {
        const fresh = await open(signal)
        await planByKeys(fresh)
        return fresh
      },
      { log, what: "taking the ledger's lock", signal },
    )
  }

  const isClosing = (): boolean => signal.aborted

  async function keep(): Promise<void> {
    while (!isClosing()) {
      await database?.lost
      database = undefined
      if (isClosing()) return
      log.warn("the ledger's connection is lost, a new one is opened")
      await reopenWhateverItTakes()
    }
  }

  /** Who waits for `opened` is told; the process may still become the writer. */
  async function goOnTrying(error: unknown): Promise<void> {
    if (isClosing()) return
    log.error({ err: error }, "ALARM the ledger's lock cannot be taken")
    await reopenWhateverItTakes()
  }

  async function reopenWhateverItTakes(): Promise<void> {
    while (database === undefined && !isClosing()) {
      try {
        await reopen()
      } catch (error) {
        if (isClosing()) return
        log.error({ err: error }, "ALARM the ledger's lock cannot be taken")
        await wait(pause_ms, undefined, { signal }).catch(isClosing)
      }
    }
  }

  return {
    opened,
    holdsLock: () => database !== undefined,
    transaction(work) {
      if (database === undefined) return Promise.reject(notHeld())
      return database.transaction(work)
    },
    async close() {
      closing.abort()
      await database?.close()
      await kept
    },
  }
}

/** Worded as the connection's own failure, because that is what it is: callers repeat. */
function notHeld(): Error {
  const error = new Error('Connection terminated: the ledger waits for its lock')
  if (!isOutage(error)) throw new Error('an outage of the ledger must be known as one')
  return error
}
