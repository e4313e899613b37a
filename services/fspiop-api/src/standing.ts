/**
 * How far the hub is behind: how long messages that come in are on their way through it, until the edge
 * gets the event of what became of them. Even when all is well some take long; only where work stands in
 * a queue do all of them, so what counts is the quickest of an interval (as in CoDel, RFC 8289, section
 * 3.2), by the slowest kind of event. Each kind has intervals of its own: were they common, a kind would
 * count in one and have too few events in the next, and the result would jump.
 */

export interface Standing {
  /** An event of this name came in, which a message led to that was received so long ago. */
  noted(name: string, age_ms: number, now_ms: number): void
  /** What even the quickest messages took, in milliseconds; 0 when there were too few to judge by. */
  at(now_ms: number): number
}

interface Kind {
  /** The interval that goes on. */
  begun_ms: number
  count: number
  quickest_ms: number
  /** The last interval that had enough events. */
  last: { readonly ended_ms: number; readonly quickest_ms: number } | undefined
}

/** An interval ends after this time, when by then it has enough events. */
const interval_ms = 100
/** One that has not enough by then tells nothing; what one told is forgotten after this time. */
const remembered_ms = 1_000
/** Fewer tell nothing: an event that is worked on again may be old by itself. */
const enough = 10

export function openStanding(): Standing {
  const kinds = new Map<string, Kind>()
  return {
    noted(name, age_ms, now_ms) {
      let kind = kinds.get(name)
      if (kind === undefined) {
        kind = { begun_ms: now_ms, count: 0, quickest_ms: Infinity, last: undefined }
        kinds.set(name, kind)
      }
      endIfDue(kind, now_ms)
      kind.count += 1
      kind.quickest_ms = Math.min(kind.quickest_ms, age_ms)
    },
    at(now_ms) {
      let standing_ms = 0
      for (const kind of kinds.values()) {
        endIfDue(kind, now_ms)
        const { last } = kind
        if (last === undefined || isOver(last.ended_ms, now_ms)) continue
        standing_ms = Math.max(standing_ms, last.quickest_ms)
      }
      return standing_ms
    },
  }
}

/** Also when the clock was set back. */
function isOver(since_ms: number, now_ms: number): boolean {
  const passed_ms = now_ms - since_ms
  return passed_ms < 0 || passed_ms > remembered_ms
}

function endIfDue(kind: Kind, now_ms: number): void {
  const hasEnough = kind.count >= enough
  const isDue = hasEnough && now_ms - kind.begun_ms >= interval_ms
  if (!isDue && !isOver(kind.begun_ms, now_ms)) return
  if (isDue) kind.last = { ended_ms: now_ms, quickest_ms: kind.quickest_ms }
  kind.begun_ms = now_ms
  kind.count = 0
  kind.quickest_ms = Infinity
}
