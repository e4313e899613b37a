/**
 * A group that has fallen behind reads the table until it has caught up with the messages that are
 * delivered from memory; it never passes a number that is still open.
 */
import type { Logger } from '@causeway/process'
import { delayAfter, pause } from '../pause.ts'

export interface CatchUp {
  /** Whether nothing is taken from memory. */
  isBehind(): boolean
  /** While behind: everything up to this number is taken. */
  position(): number
  /** Milliseconds since it fell behind with something left to read; undefined when nothing is left. */
  behind_ms(): number | undefined
  /** Milliseconds since the table was last read, when something is left to read. */
  progress(): number | undefined
  /** Falls behind: everything up to here is taken. */
  letGo(position: number): void
  /** There may be room again. */
  readOn(): void
  /** Reads nothing further, resolves when nothing is being read. */
  stop(): Promise<void>
}

export interface CatchUpOptions {
  readonly log: Logger
  /** Everything up to here is taken already. */
  readonly position: number
  /** Everything up to here may be read. */
  readonly handedOver: () => number
  readonly hasRoom: () => boolean
  /** Takes what follows `after`, at most up to `upTo`, and returns how far it has read. */
  readonly read: (after: number, upTo: number) => Promise<number>
}

/** Begins behind. */
export function openCatchUp(options: CatchUpOptions): CatchUp {
  const { log, handedOver, hasRoom, read } = options
  const stopping = new AbortController()
  let { position } = options
  let behind = true
  let fell_ms = performance.now()
  let moved_ms = fell_ms
  let isReading = false
  let reading = Promise.resolve()

  async function readAll(): Promise<void> {
    isReading = true
    let failures = 0
    while (hasRoom() && !stopping.signal.aborted) {
      const end = handedOver()
      if (position >= end) {
        behind = false
        break
      }
      try {
        position = await read(position, end)
        moved_ms = performance.now()
        failures = 0
      } catch (error) {
        log.warn({ err: error, failures: ++failures }, 'log not read: tried again')
        await pause(delayAfter(failures), stopping.signal)
      }
    }
    // At once, not when the promise is settled: room that is freed in between would be missed.
    isReading = false
  }

  const isWaiting = () => behind && position < handedOver()

  return {
    isBehind: () => behind,
    position: () => position,
    behind_ms: () => (isWaiting() ? performance.now() - fell_ms : undefined),
    progress: () => (isWaiting() ? performance.now() - moved_ms : undefined),
    letGo(at) {
      behind = true
      position = at
      fell_ms = performance.now()
      moved_ms = fell_ms
    },
    readOn() {
      if (behind && !isReading && !stopping.signal.aborted && hasRoom()) reading = readAll()
    },
    async stop() {
      stopping.abort()
      await reading
    },
  }
}
