/** Periodic work: never two at a time, and a failure does not end it. */
import type { Logger } from '../log.ts'

export interface PeriodicOptions {
  readonly log: Logger
  /** What the work is, for the log: 'expiry sweep'. */
  readonly name: string
}

export interface Periodic {
  /** Starts no further work and waits for the work in progress. */
  stop(): Promise<void>
}

/**
 * Does the work at each multiple of `interval_ms` since the start of the process, unless it is still being
 * done. Works of the same interval run at the same moments, so that an idle process wakes up once for all
 * of them. A function is asked for the interval each time. A failure is logged, and the work is tried again
 * at its next time.
 */
export function periodically(
  interval_ms: number | (() => number),
  work: () => Promise<void>,
  { log, name }: PeriodicOptions,
): Periodic {
  let stopped = false
  let working = Promise.resolve()
  let timer = setTimeout(begin, rest_ms())

  /** A timer may be up to a millisecond early, and is not to begin the same work twice. */
  function rest_ms(): number {
    const every_ms = typeof interval_ms === 'number' ? interval_ms : interval_ms()
    return every_ms - (performance.now() % every_ms) + 1
  }

  function begin(): void {
    working = once()
  }

  async function once(): Promise<void> {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, `${name} failed`)
    }
    if (!stopped) timer = setTimeout(begin, rest_ms())
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }
}
