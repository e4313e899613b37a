/** A worker that makes no progress though it has work is noticed, once per standstill. */

export interface WatchOptions {
  /** As long as this without progress is a standstill. */
  readonly stalled_ms: number
  /** How often is looked; a tenth of `stalled_ms` when left out. */
  readonly check_ms?: number
  /** Called once per stall, with the milliseconds without progress. */
  readonly onStalled: (stalled_ms: number) => void
}

export interface Watch {
  stop(): void
}

/**
 * Checks repeatedly whether there is progress; keeps no process alive.
 * @param progress milliseconds since the last progress; undefined when there is no work
 */
export function watch(
  progress: () => number | undefined,
  { stalled_ms, check_ms = stalled_ms / 10, onStalled }: WatchOptions,
): Watch {
  let isReported = false
  const timer = setInterval(() => {
    const without_ms = progress()
    const stalled = without_ms !== undefined && without_ms >= stalled_ms
    if (stalled && !isReported) onStalled(without_ms)
    isReported = stalled
  }, check_ms)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
