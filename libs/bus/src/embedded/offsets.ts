/**
 * The offset of each group is stored every 200 ms or 1,000 messages, whichever is first, and not at
 * all while nothing moves: after a crash what was finished since is delivered again.
 */
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { storeOffsets, type Offset } from './store.ts'

export interface Offsets {
  /** Something was handed over or finished; count of what was finished. */
  moved(finished: number): void
  /** Resolves when the current offsets are stored; rejects when that failed. */
  store(): Promise<void>
  /** Stops storing periodically. */
  stop(): void
}

export interface OffsetsOptions {
  readonly db: Database
  readonly log: Logger
  readonly read: () => readonly Offset[]
}

const every_ms = 200
const every_messages = 1_000

export function openOffsets({ db, log, read }: OffsetsOptions): Offsets {
  const stored = new Map<string, number>()
  let finished = 0
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined
  let failures = 0
  let stopped = false

  async function storeMoved(): Promise<void> {
    const moved = read().filter(
      ({ group, topic, n }) => (stored.get(`${group} ${topic}`) ?? -1) < n,
    )
    finished = 0
    if (moved.length === 0) return
    await storeOffsets(db, moved)
    for (const { group, topic, n } of moved) stored.set(`${group} ${topic}`, n)
  }

  /** One at a time, so that an older offset never replaces a newer one. */
  async function storeNext(): Promise<void> {
    while (storing !== undefined) await storing.catch(() => undefined)
    storing = storeMoved().finally(() => (storing = undefined))
    await storing
  }

  async function storeNow(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    try {
      await storeNext()
      failures = 0
    } catch (error) {
      log.warn({ err: error, failures: ++failures }, 'offsets not stored: tried again')
      moved(0)
    }
  }

  function moved(count: number): void {
    finished += count
    if (stopped) return
    const isMuch = finished >= every_messages && failures === 0
    if (isMuch && storing === undefined) void storeNow()
    else timer ??= setTimeout(() => void storeNow(), every_ms * 2 ** Math.min(failures, 5))
  }

  return {
    moved,
    store: storeNext,
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
