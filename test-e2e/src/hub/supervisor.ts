/** Restarts processes that have ended by themselves, as an orchestrator of containers does. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ApartHub } from './apart.ts'

const poll_ms = 1_000

/**
 * @param print gets a line for each restart, with the last words of the process
 * @returns ends the supervision
 */
export function restartEnded(hub: ApartHub, print: (line: string) => void): AbortController {
  const stopping = new AbortController()
  void (async () => {
    while (!stopping.signal.aborted) {
      for (const name of hub.endedByThemselves()) {
        const [last = ''] = hub.logOf(name).trimEnd().split('\n').slice(-1)
        print(`${new Date().toISOString()} ${name} has ended by itself, restarting: ${last}`)
        await hub.start(name).catch((error: unknown) => print(String(error)))
      }
      await wait(poll_ms)
    }
  })()
  return stopping
}
