/**
 * Prevents an FSP from filling the lane of another with unrequested answers. The hub does not store
 * which request an answer belongs to, since the request may have used another edge, nor which FSPs
 * account-lookup has queried; it counts. Within one to two minutes an FSP may send another one a
 * multiple of the number of requests that the other has sent to any FSP, plus a fixed number.
 */
import { LRUCache } from 'lru-cache'

export interface AnswerQuotas {
  /** The FSP has sent a request to other FSPs. */
  countRequest(fspId: string, now_ms: number): void
  /** Counts the answer; false when there are too many. */
  allows(from: string, to: string, now_ms: number): boolean
  /** The FSPs that were recently answered here: their requests at other edges count here. */
  recentlyAnswered(now_ms: number): readonly string[]
  /** The number of requests that the FSP has sent to other edges, which are known from now on. */
  countRequestsElsewhere(fspId: string, requests: number, now_ms: number): void
  /** The counts of other edges are no longer available. */
  forgetOtherEdges(): void
}

export interface QuotaBounds {
  /** Answers of one FSP to another that need no request. */
  readonly unasked_max: number
  /** The minimum of allowed answers while the requests at other edges are unknown. */
  readonly unknown_max: number
  /** Whether there are no other edges. */
  readonly isSole: boolean
}

/** The default time for which the delivery of a request is tried. */
const window_ms = 60_000
/** A request to pay is answered when it is received, and again when it is decided. */
const answersPerRequest = 3
const fsps_max = 10_000
const pairs_max = 20_000

/** The counts of the current window and of the previous one. */
interface Count {
  window: number
  current: number
  previous: number
}

export function openAnswerQuotas({ unasked_max, unknown_max, isSole }: QuotaBounds): AnswerQuotas {
  const requestsOf = new LRUCache<string, Count>({ max: fsps_max })
  /** An evicted count begins at zero. */
  const pairs = new LRUCache<string, Count>({ max: pairs_max })
  const lastAnswered = new Map<string, number>()
  let knowsAll = isSole

  function add(fspId: string, requests: number, now_ms: number): void {
    const count = countIn(requestsOf.get(fspId), now_ms)
    count.current += requests
    requestsOf.set(fspId, count)
  }

  function quotaTo(fspId: string, now_ms: number): number {
    const { current, previous } = countIn(requestsOf.get(fspId), now_ms)
    const quota = unasked_max + answersPerRequest * (current + previous)
    return knowsAll ? quota : Math.max(quota, unknown_max)
  }

  return {
    countRequest: (fspId, now_ms) => add(fspId, 1, now_ms),
    allows(from, to, now_ms) {
      const key = `${from}\n${to}`
      const count = countIn(pairs.get(key), now_ms)
      if (!isSole) lastAnswered.set(to, count.window)
      if (count.current + count.previous >= quotaTo(to, now_ms)) return false
      count.current += 1
      pairs.set(key, count)
      return true
    },
    recentlyAnswered(now_ms) {
      const oldest = Math.floor(now_ms / window_ms) - 1
      for (const [fspId, window] of lastAnswered) if (window < oldest) lastAnswered.delete(fspId)
      return [...lastAnswered.keys()]
    },
    countRequestsElsewhere(fspId, requests, now_ms) {
      knowsAll = true
      if (requests > 0) add(fspId, requests, now_ms)
    },
    forgetOtherEdges() {
      knowsAll = isSole
    },
  }
}

/** The count, moved to the current window. */
function countIn(count: Count | undefined, now_ms: number): Count {
  const window = Math.floor(now_ms / window_ms)
  if (count === undefined) return { window, current: 0, previous: 0 }
  if (window > count.window) {
    count.previous = window === count.window + 1 ? count.current : 0
    count.current = 0
    count.window = window
  }
  return count
}
