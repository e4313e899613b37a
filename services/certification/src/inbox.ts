/** The FSP's messages of one case: who waits for one gets it, also when it arrived before. */
import type { ReceivedRequest } from './peer.ts'

export type Matches = (message: ReceivedRequest) => boolean

export interface Inbox {
  /** In their order; those of cases that run at the same time included. */
  readonly taken: readonly ReceivedRequest[]
  add(message: ReceivedRequest): void
  /** The first message that matches, also one that was taken before. */
  readonly next: (matches: Matches, within_ms: number) => Promise<ReceivedRequest | undefined>
  /** Nobody waits any more. */
  close(): void
}

export function openInbox(): Inbox {
  const taken: ReceivedRequest[] = []
  const waiting = new Set<() => void>()
  const ends = new Set<() => void>()
  return {
    taken,
    add(message) {
      taken.push(message)
      for (const look of waiting) look()
    },
    next: (matches, within_ms) =>
      new Promise((resolve) => {
        const end = (found: ReceivedRequest | undefined) => {
          clearTimeout(timer)
          waiting.delete(look)
          ends.delete(giveUp)
          resolve(found)
        }
        const look = () => {
          const found = taken.find(matches)
          if (found !== undefined) end(found)
        }
        const giveUp = () => end(undefined)
        const timer = setTimeout(giveUp, within_ms)
        waiting.add(look)
        ends.add(giveUp)
        look()
      }),
    close() {
      for (const end of ends) end()
    },
  }
}
