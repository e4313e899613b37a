/**
 * Comparisons of the ledger for whoever asks: one at a time, on a connection of its own, so that it
 * keeps no question waiting. Who asks while one runs gets its result, and when all who asked are gone
 * it stops.
 */
import { randomBytes } from 'node:crypto'
import { Outage, type Database } from '@causeway/runtime'
import { verifyLedger, type Verified } from './verify.ts'

export interface Verifier {
  /** `caller` aborts when the caller is gone. */
  verify(caller: AbortSignal): Promise<Verified>
  /** Stops the comparison that runs, which fails as by an outage. */
  stop(): Promise<void>
}

export function openVerifier(openDatabase: () => Promise<Database>): Verifier {
  let current: Shared<Verified> | undefined

  async function compare(signal: AbortSignal): Promise<Verified> {
    const database = await openDatabase()
    try {
      return await verifyLedger(database, { seed: randomBytes(8).readBigInt64BE(), signal })
    } finally {
      await database.close()
    }
  }

  return {
    verify(caller) {
      if (current === undefined || current.isOver()) current = share(compare, current?.ended)
      return current.join(caller)
    },
    async stop() {
      current?.stop(new Outage('the service is being stopped'))
      await current?.ended
    },
  }
}

/** Work that several callers wait for. */
export interface Shared<T> {
  join(caller: AbortSignal): Promise<T>
  /** Done, failed or being stopped: nobody can join any more. */
  isOver(): boolean
  stop(reason: unknown): void
  /** Resolves when the work has ended, however it did. */
  readonly ended: Promise<unknown>
}

/** Begins the work when what ran before has ended, and stops it when all who joined are gone. */
export function share<T>(
  work: (signal: AbortSignal) => Promise<T>,
  before: Promise<unknown> = Promise.resolve(),
): Shared<T> {
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
