/** Waiting between two attempts: a bounded time that grows, and that ends early on a stop. */
import { setMaxListeners } from 'node:events'

const delay_ms_min = 50
const delay_ms_max = 2_000

/** 50 ms after the first failure, twice as much after each further one, at most 2 s. */
export function delayAfter(failures: number): number {
  return Math.min(delay_ms_min * 2 ** Math.min(failures - 1, 10), delay_ms_max)
}

/** Resolves after that time, or at once when stopping. */
export function pause(delay_ms: number, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return Promise.resolve()
  // Many groups may wait at once for the end of one outage, and Node.js warns of more than ten listeners.
  setMaxListeners(0, stopping)
  return new Promise((resolve) => {
    const timer = setTimeout(done, delay_ms)
    stopping.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      stopping.removeEventListener('abort', done)
      resolve()
    }
  })
}
