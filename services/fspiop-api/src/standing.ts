/**
 * How far the hub is behind: how long messages that come in are on their way through it, until the edge
 * hears what became of them. Even when all is well some take long; only where work stands in a queue
 * do all of them, so what counts is the quickest of a second (as in CoDel, RFC 8289, section 3.2).
 */

export interface Standing {
  /** An event of this name was heard, which a message led to that came in so long ago. */
  heard(name: string, age_ms: number, now_ms: number): void
  /**
   * Milliseconds that even the quickest message took in the last whole second, by the slowest kind of
   * event; 0 when there were few of each.
   */
  standing_ms(now_ms: number): number
}

interface Quickest {
  count: number
  age_ms: number
}

const interval_ms = 1_000
/** Fewer of a kind are no crowd: an event that is worked on again may be old by itself. */
const crowd = 20

export function openStanding(): Standing {
  let current = new Map<string, Quickest>()
  let last_ms = 0
  let end_ms = -Infinity

  /**
   * Ends the interval when its time is over. After a pause, or when the clock was set, there is nothing
   * to tell of the last one.
   */
  function turn(now_ms: number): void {
    const over_ms = now_ms - end_ms
    if (over_ms < 0 && over_ms >= -interval_ms) return
    last_ms = over_ms >= 0 && over_ms < interval_ms ? standingOf(current) : 0
    current = new Map()
    end_ms = now_ms + interval_ms
  }

  return {
    heard(name, age_ms, now_ms) {
      turn(now_ms)
      const quickest = current.get(name)
      if (quickest === undefined) {
        current.set(name, { count: 1, age_ms })
        return
      }
      quickest.count += 1
      quickest.age_ms = Math.min(quickest.age_ms, age_ms)
    },
    standing_ms(now_ms) {
      turn(now_ms)
      return last_ms
    },
  }
}

function standingOf(kinds: ReadonlyMap<string, Quickest>): number {
  let standing_ms = 0
  for (const { count, age_ms } of kinds.values()) {
    if (count >= crowd) standing_ms = Math.max(standing_ms, age_ms)
  }
  return standing_ms
}
