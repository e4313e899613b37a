/**
 * The queue delay of the hub: the time from the receipt of a message until the edge consumes an
 * event that it caused. Some messages always take long; only where there is a queue do all of them,
 * so the delay is the minimum within an interval (as in CoDel, RFC 8289, section 3.2), and the
 * maximum over the kinds of events. Each kind has intervals of its own: in common intervals a kind
 * would have enough events in one and too few in the next, and the result would jump. A hub that stands
 * still has no events at all: while messages wait and nothing has ended for more than a second, the delay
 * is that time.
 */

export interface QueueDelay {
  /** An event of this name arrived; the message that caused it was received `age_ms` ago. */
  observe(name: string, age_ms: number, now_ms: number): void
  /** A message was received whole, and waits to be stored or refused. */
  begin(now_ms: number): void
  /** It was stored or refused, or failed. */
  end(now_ms: number): void
  /** The delay of the fastest messages in milliseconds; 0 when there were too few messages. */
  at(now_ms: number): number
}

interface Kind {
  /** The current interval. */
  begun_ms: number
  count: number
  quickest_ms: number
  /** The last interval that had enough events. */
  last: { readonly ended_ms: number; readonly quickest_ms: number } | undefined
}

/** An interval with enough events ends after this time. */
const interval_ms = 100
/**
 * An interval without enough events ends without a result after this time; a result expires after
 * it.
 */
const remembered_ms = 1_000
/** Fewer events are no evidence of a queue: a redelivered event is old by itself. */
const enough = 10

export function openQueueDelay(): QueueDelay {
  const kinds = new Map<string, Kind>()
  /** Messages that wait, and since when nothing has ended. */
  let waiting = 0
  let since_ms = 0
  return {
    begin(now_ms) {
      if (waiting === 0 || now_ms < since_ms) since_ms = now_ms
      waiting += 1
    },
    end(now_ms) {
      waiting -= 1
      since_ms = now_ms
    },
    observe(name, age_ms, now_ms) {
      since_ms = now_ms
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
      const stands = waiting >= enough && now_ms - since_ms > remembered_ms
      let queueDelay_ms = stands ? now_ms - since_ms : 0
      for (const kind of kinds.values()) {
        endIfDue(kind, now_ms)
        const { last } = kind
        if (last === undefined || isOver(last.ended_ms, now_ms)) continue
        queueDelay_ms = Math.max(queueDelay_ms, last.quickest_ms)
      }
      return queueDelay_ms
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
