/** Work that is done again and again: never two at a time, and a failure does not end it. */
import type { Logger } from './log.ts'

export interface PeriodicOptions {
  readonly log: Logger
  /** What the work is, for the log: 'expiry sweep'. */
  readonly name: string
}

export interface Periodic {
  /** Begins no further work and waits for what is being done. */
  stop(): Promise<void>
}

/**
 * Does the work for the first time after `every_ms`, and then each time `every_ms` after the last one
 * ended. A failure is logged and the work is tried again at its next time.
 */
export function periodically(
  every_ms: number,
  work: () => Promise<void>,
  { log, name }: PeriodicOptions,
): Periodic {
  let stopped = false
  let working = Promise.resolve()
  let timer = setTimeout(begin, every_ms)

  function begin(): void {
    working = once()
  }

  async function once(): Promise<void> {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, `${name} failed`)
    }
    if (!stopped) timer = setTimeout(begin, every_ms)
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }
}
