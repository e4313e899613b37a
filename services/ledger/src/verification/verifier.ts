/**
 * Runs comparisons of the ledger: one at a time, on its own connection, so that it delays no query.
 * Callers that arrive during a run share its result; the run stops when all its callers are gone.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '@causeway/postgres'
import { Outage } from '@causeway/process'
import { verifyLedger, type LedgerVerification } from './verify.ts'

export interface Verifier {
  /** `caller` aborts when the caller is gone. */
  verify(caller: AbortSignal): Promise<LedgerVerification>
  /** Stops the running comparison, which then fails with an outage. */
  stop(): Promise<void>
}

export function openVerifier(openDatabase: () => Promise<Database>): Verifier {
  let current: SingleFlight<LedgerVerification> | undefined

  async function compare(signal: AbortSignal): Promise<LedgerVerification> {
    const database = await openDatabase()
    try {
      return await verifyLedger(database, { seed: randomBytes(8).readBigInt64BE(), signal })
    } finally {
      await database.close()
    }
  }

  return {
    verify(caller) {
      if (current === undefined || current.isOver()) current = singleFlight(compare, current?.ended)
      return current.join(caller)
    },
    async stop() {
      current?.stop(new Outage('the service is being stopped'))
      await current?.ended
    },
  }
}

/** Work that several callers wait for. */
export interface SingleFlight<T> {
  join(caller: AbortSignal): Promise<T>
  /** Done, failed or being stopped: no caller can join any more. */
  isOver(): boolean
  stop(reason: unknown): void
  /** Resolves when the work has ended, whether or not it failed. */
  readonly ended: Promise<unknown>
}

/**
 * Begins the work when the previous run has ended, and stops it when all callers that joined are
 * gone.
 */
export function singleFlight<T>(
  work: (signal: AbortSignal) => Promise<T>,
  before: Promise<unknown> = Promise.resolve(),
): SingleFlight<T> {
  const stopping = new AbortController()
  const { signal } = stopping
  let callers = 0
  let isDone = false
  const result = before.then(() => {
    signal.throwIfAborted()
    return work(signal)
  })
  const ended = Promise.allSettled([result]).then(() => {
    isDone = true
  })
  return {
    join(caller) {
      callers++
      const leave = () => {
        if (--callers === 0) stopping.abort(caller.reason)
      }
      if (caller.aborted) leave()
      else caller.addEventListener('abort', leave)
      return result
    },
    isOver: () => isDone || signal.aborted,
    stop: (reason) => stopping.abort(reason),
    ended,
  }
}
