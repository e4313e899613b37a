/**
 * The FSPs that the hub does not reach, stored: an FSP whose circuit is open in any process is among
 * them until an attempt of any process reaches it. Operators read them; deliveries do not depend on them.
 */
import type { Database } from '@causeway/postgres'
import { periodically, type Logger } from '@causeway/process'
import { deleteUnreachable, insertUnreachable, readUnreachable } from './reachability-store.ts'

/** How soon a process learns what others have stored. */
const read_every_ms = 60_000

export interface Reachability {
  /** The state of the circuit after an attempt, and the attempt's error. */
  note(fspId: string, isOpen: boolean, error: string): void
  stop(): Promise<void>
}

export async function openReachability(db: Database, log: Logger): Promise<Reachability> {
  let stored = new Set(await readUnreachable(db))
  let writes = 0
  let written = Promise.resolve()
  const write = async (fspId: string, isOpen: boolean, since: Date, error: string) => {
    try {
      if (isOpen) await insertUnreachable(db, fspId, since, error)
      else await deleteUnreachable(db, fspId)
    } catch (err) {
      log.warn({ err, fspId }, 'it was not stored whether the FSP is reached')
    } finally {
      writes -= 1
    }
  }
  // After a write that failed, the next attempt to the FSP writes again.
  const reading = periodically(
    read_every_ms,
    async () => {
      const rows = await readUnreachable(db)
      if (writes === 0) stored = new Set(rows)
    },
    { log, name: 'FSPs that are not reached' },
  )
  return {
    note(fspId, isOpen, error) {
      if (stored.has(fspId) === isOpen) return
      if (isOpen) stored.add(fspId)
      else stored.delete(fspId)
      writes += 1
      const now = new Date()
      written = written.then(() => write(fspId, isOpen, now, error))
    },
    async stop() {
      await reading.stop()
      await written
    },
  }
}
