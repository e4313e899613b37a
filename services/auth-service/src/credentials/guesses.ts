/**
 * Who guesses is stopped; who knows is not, even while a stranger guesses in his name: secrets that were
 * right before are still looked at. Each process counts what it sees, and what the others tell it of the
 * same client some ten times a second while they share a memory.
 */
import type { Use } from '@causeway/runtime'

export interface Guesses {
  /** Whether this secret of the client is looked at now. */
  mayTry(clientId: string, secretHash: Buffer, now_ms: number): boolean
  wrong(clientId: string, now_ms: number): void
  right(secretHash: Buffer): void
  /** What other processes are told of wrong secrets, and what they tell. */
  readonly shared: Use
}

const window_ms = 60_000
const clients_max = 10_000
const secrets_max = 10_000
const nothing: ReadonlyMap<string, number> = new Map()

export function openGuesses({ wrong_max }: { readonly wrong_max: number }): Guesses {
  const counted = new Map<string, { readonly since_ms: number; readonly wrong: number }>()
  const proven = new Set<string>()
  /** Of each client since the start, or since there were too many of them. */
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
      forgetOldest(counted, clients_max)
    },
    right(secretHash) {
      proven.add(secretHash.toString('base64'))
      forgetOldest(proven, secrets_max)
    },
    shared: {
      admitted: () => all,
      atWork: () => nothing,
      learn(clientId, { admitted }) {
        const count = counted.get(clientId)
        // Others are heard of a client of whom there was a guess here, which is when it matters.
        if (count === undefined || admitted === 0) return
        counted.set(clientId, { ...count, wrong: count.wrong + admitted })
      },
      alone: () => undefined,
    },
  }
}

function forgetOldest(
  all: { keys(): Iterable<string>; delete(key: string): boolean; readonly size: number },
  entries_max: number,
): void {
  for (const key of all.keys()) {
    if (all.size <= entries_max) return
    all.delete(key)
  }
}
