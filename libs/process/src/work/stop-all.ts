/** Stops what was opened, in reverse: no new work arrives while the rest finishes. A failure stops no other one. */
import type { Logger } from '../log.ts'

export async function stopAll(
  opened: readonly { stop(): Promise<void> | void }[],
  log: Logger,
): Promise<void> {
  for (const part of opened.toReversed()) {
    try {
      await part.stop()
    } catch (error) {
      log.error({ err: error }, 'a part did not stop in order')
    }
  }
}
