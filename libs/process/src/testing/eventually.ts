/** Waiting for a condition: as short as possible, and with words when it never comes. */
import { setTimeout as wait } from 'node:timers/promises'

const retry_ms_min = 2
const retry_ms_max = 50

/**
 * Probes until there is a value (`false` counts as none) and returns it. Rejects after timeout_ms,
 * naming what was waited for and the last error of the probe.
 */
export async function eventually<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  what: string,
  timeout_ms = 10_000,
): Promise<T> {
  const deadline = performance.now() + timeout_ms
  let retry_ms = retry_ms_min
  for (;;) {
    let failure: unknown
    try {
      const value = await probe()
      if (value !== undefined && value !== false) return value
    } catch (error) {
      failure = error
    }
    if (performance.now() > deadline) {
      throw new Error(`${what}: not within ${timeout_ms} ms`, { cause: failure })
    }
    await wait(retry_ms)
    retry_ms = Math.min(retry_ms * 2, retry_ms_max)
  }
}
