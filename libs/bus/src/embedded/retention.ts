/**
 * The log retains messages that some group has not finished, however old they are, and all others for
 * the retention time. A metric shows for which group they are retained: the log grows without bound
 * for a group that never reads again.
 */
import type { Database } from '@causeway/postgres'
import type { Logger, Metrics } from '@causeway/process'
import { Gauge } from 'prom-client'
import { deleteOldest, holders } from './store.ts'

export interface RetentionOptions {
  readonly db: Database
  readonly log: Logger
  readonly metrics: Metrics
  readonly retention_h: number
  readonly stopping: AbortSignal
}

export interface Retention {
  /**
   * Deletes what is old and finished by every group, and finds the groups that hold back the rest.
   */
  sweep(): Promise<void>
}

const rows_max = 2_000
const warned_every_ms = 3_600_000

export function openRetention(options: RetentionOptions): Retention {
  const { db, log, metrics, retention_h, stopping } = options
  let warned_ms = -Infinity
  const held = new Gauge({
    name: 'bus_held_back_seconds',
    help: 'How long old messages have been retained only because this group has not finished them',
    labelNames: ['group'],
    registers: [metrics],
  })

  async function reportHolders(): Promise<void> {
    const found = await holders(db, retention_h)
    held.reset()
    for (const { group, held_s } of found) held.set({ group }, held_s)
    const now_ms = performance.now()
    if (found.length === 0 || now_ms < warned_ms + warned_every_ms) return
    warned_ms = now_ms
    for (const { group, topics, held_s } of found) {
      const held_h = Math.floor(held_s / 3_600)
      log.warn({ group, topics, held_h }, 'old events are retained: a group has not finished them')
    }
  }

  return {
    async sweep() {
      let deleted: number
      do {
        deleted = await deleteOldest(db, retention_h, rows_max)
      } while (deleted === rows_max && !stopping.aborted)
      await reportHolders()
    },
  }
}
