/** A worker that makes no progress though it has work is noticed, once per standstill. */

export interface WatchOptions {
  /** As long as this without progress is a standstill. */
  readonly stalled_ms: number
  /** Told once per standstill, with the milliseconds without progress. */
  readonly onStalled: (stalled_ms: number) => void
}

export interface Watch {
  stop(): void
}

/**
 * Looks ten times within `stalled_ms`, but not more often than every 100 ms, whether there is
 * progress.
 * @param progress milliseconds since the last progress; undefined when there is no work
 */
export function watch(
  progress: () => number | undefined,
  { stalled_ms, onStalled }: WatchOptions,
): Watch {
  let told = false
  const timer = setInterval(
    () => {
      const without_ms = progress()
      const stalled = without_ms !== undefined && without_ms >= stalled_ms
      if (stalled && !told) onStalled(without_ms)
      told = stalled
    },
    Math.max(stalled_ms / 10, 100),
  )
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
