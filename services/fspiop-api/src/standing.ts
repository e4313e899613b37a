/**
 * How far the hub is behind: how long messages that come in are on their way through it, until the edge
 * gets the event of what became of them. Even when all is well some take long; only where work stands in
 * a queue do all of them, so what counts is the quickest of an interval (as in CoDel, RFC 8289, section
 * 3.2), by the slowest kind of event.
 */

export interface Standing {
  /** An event of this name came in, which a message led to that was received so long ago. */
  noted(name: string, age_ms: number, now_ms: number): void
  /** The interval that has ended since the last call; undefined while it goes on. */
  ended(now_ms: number): Interval | undefined
}

export interface Interval {
  /** Longer than a second when no call came meanwhile. */
  readonly length_ms: number
  /** What even its quickest message took; 0 when there were too few to judge by. */
  readonly standing_ms: number
}

interface Quickest {
  count: number
  age_ms: number
}

/** An interval ends after this time, if by then there were enough events of a kind. */
const interval_ms = 100
/** It ends after this time in any case. */
const interval_ms_max = 1_000
/** Fewer of a kind tell nothing: an event that is worked on again may be old by itself. */
const enough = 20

export function openStanding(): Standing {
  const kinds = new Map<string, Quickest>()
  let begun_ms: number | undefined
  let isEnough = false

  return {
    noted(name, age_ms, now_ms) {
      begun_ms ??= now_ms
      const quickest = kinds.get(name)
      if (quickest === undefined) {
        kinds.set(name, { count: 1, age_ms })
        return
      }
      quickest.count += 1
      quickest.age_ms = Math.min(quickest.age_ms, age_ms)
      isEnough ||= quickest.count >= enough
    },
    ended(now_ms) {
      begun_ms ??= now_ms
      const length_ms = now_ms - begun_ms
      const goesOn = length_ms < (isEnough ? interval_ms : interval_ms_max)
      // A clock that was set back ends it, too.
      if (goesOn && length_ms >= 0) return undefined
      const standing_ms = length_ms < 0 ? 0 : standingOf(kinds)
      kinds.clear()
      isEnough = false
      begun_ms = now_ms
      return { length_ms: Math.max(length_ms, interval_ms), standing_ms }
    },
  }
}

function standingOf(kinds: ReadonlyMap<string, Quickest>): number {
  let standing_ms = 0
  for (const { count, age_ms } of kinds.values()) {
    if (count >= enough) standing_ms = Math.max(standing_ms, age_ms)
  }
  return standing_ms
}
