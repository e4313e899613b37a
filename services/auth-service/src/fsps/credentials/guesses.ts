/**
 * Limits wrong secrets per client. Secrets that were correct before are still checked, so guessing
 * in a client's name does not lock it out. Each process counts its own attempts; with a shared
 * memory the processes exchange their counts for the same client about ten times a second.
 */
import type { Use } from '@causeway/runtime'

export interface Guesses {
  /** Whether this secret of the client is checked now. */
  mayTry(clientId: string, secretHash: Buffer, now_ms: number): boolean
  wrong(clientId: string, now_ms: number): void
  right(secretHash: Buffer): void
  /** The exchange of wrong attempts with other processes. */
  readonly shared: Use
}

const window_ms = 60_000
const clients_max = 10_000
const secrets_max = 10_000
const nothing: ReadonlyMap<string, number> = new Map()

export function openGuesses({ wrong_max }: { readonly wrong_max: number }): Guesses {
  const counted = new Map<string, { readonly since_ms: number; readonly wrong: number }>()
  const proven = new Set<string>()
  /** Wrong attempts per client since the start, or since the map was last full. */
  const all = new Map<string, number>()

  function countOf(clientId: string, now_ms: number) {
    const count = counted.get(clientId)
    const isOver = count === undefined || now_ms - count.since_ms >= window_ms
    return isOver ? { since_ms: now_ms, wrong: 0 } : count
  }

  return {
    mayTry: (clientId, secretHash, now_ms) =>
      countOf(clientId, now_ms).wrong < wrong_max || proven.has(secretHash.toString('base64')),
    wrong(clientId, now_ms) {
      const { since_ms, wrong } = countOf(clientId, now_ms)
      counted.set(clientId, { since_ms, wrong: wrong + 1 })
      if (all.size >= clients_max && !all.has(clientId)) all.clear()
      all.set(clientId, (all.get(clientId) ?? 0) + 1)
      evictOldest(counted, clients_max)
    },
    right(secretHash) {
      proven.add(secretHash.toString('base64'))
      evictOldest(proven, secrets_max)
    },
    shared: {
      admitted: () => all,
      atWork: () => nothing,
      learn(clientId, { admitted }) {
        const count = counted.get(clientId)
        // Counts of other processes matter only for a client with a wrong attempt in this one.
        if (count === undefined || admitted === 0) return
        counted.set(clientId, { ...count, wrong: count.wrong + admitted })
      },
      alone: () => undefined,
    },
  }
}

function evictOldest(
  all: { keys(): Iterable<string>; delete(key: string): boolean; readonly size: number },
  entries_max: number,
): void {
  for (const key of all.keys()) {
    if (all.size <= entries_max) return
    all.delete(key)
  }
}
