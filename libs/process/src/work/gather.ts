/**
 * Many callers, one batch of work at a time: calls that arrive while one is in progress form the next
 * one. Batches follow from the load, never from a timer, and the queue is bounded.
 */
import { setImmediate as turnEnds } from 'node:timers/promises'
import { Outage } from '../outage.ts'

interface GatheredCall<Item, Result> {
  readonly items: readonly Item[]
  readonly results: Result[]
  readonly resolve: (results: readonly Result[]) => void
  readonly reject: (error: unknown) => void
  /** Number of its items that have been passed to the work; all for a call that failed. */
  begun: number
}

/** The items `from` … `to` of a call, as a part of a batch. */
interface BatchPart<Item, Result> {
  readonly call: GatheredCall<Item, Result>
  readonly from: number
  readonly to: number
}

export interface GatherBounds {
  /** Most items of one batch. */
  readonly batch_max: number
  /**
   * Most items that wait for a batch; with an empty queue a list of any length is taken. Left out
   * where the callers themselves are bounded.
   */
  readonly queued_max?: number
}

/**
 * Turns work on lists into a function that many may call concurrently. The work receives the items
 * in the order of the calls and returns one result for each. A list stays whole where it fits into
 * `batch_max`; a longer one is split, and its pieces follow each other.
 *
 * A failure rejects every call of that batch; the rest of a list that was split is then not
 * processed. A list that does not fit into the queue is rejected with an outage, and nothing of it
 * is started.
 */
export function gather<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { batch_max, queued_max = Infinity }: GatherBounds,
): (items: readonly Item[]) => Promise<readonly Result[]> {
  const waiting: GatheredCall<Item, Result>[] = []
  /** Items of waiting calls that have not been passed to the work. */
  let queued = 0
  let working = false

  function begin(): void {
    if (working) return
    working = true
    void workOff()
  }

  /** A batch starts at the end of this turn of the event loop and includes all of its calls. */
  async function workOff(): Promise<void> {
    while (waiting.length > 0) {
      await turnEnds()
      const parts = cut(waiting, batch_max)
      for (const { from, to } of parts) queued -= to - from
      await workOn(parts)
    }
    working = false
  }

  async function workOn(parts: readonly BatchPart<Item, Result>[]): Promise<void> {
    if (parts.length === 0) return
    const items = itemsOf(parts)
    try {
      const results = await work(items)
      if (results.length !== items.length) {
        throw new Error(`gathered ${items.length} items, got ${results.length} results`)
      }
      hand(parts, results)
    } catch (error) {
      for (const { call } of parts) {
        queued -= call.items.length - call.begun
        call.begun = call.items.length
        call.reject(error)
      }
    }
  }

  return (items) => {
    if (items.length === 0) return Promise.resolve([])
    if (queued > 0 && queued + items.length > queued_max) {
      return Promise.reject(overfull(queued, queued_max))
    }
    queued += items.length
    return new Promise((resolve, reject) => {
      waiting.push({ items, results: [], resolve, reject, begun: 0 })
      begin()
    })
  }
}

/** For the caller this is the same as a service that cannot be reached: it may try again later. */
function overfull(queued: number, queued_max: number): Outage {
  const sentence = `${queued} items wait already, and at most ${queued_max} may: come again later`
  return new Outage(sentence)
}

/** Takes the next batch from the head; a call stays there until all of it is taken. */
function cut<Item, Result>(
  waiting: GatheredCall<Item, Result>[],
  batch_max: number,
): BatchPart<Item, Result>[] {
  const parts: BatchPart<Item, Result>[] = []
  let room = batch_max
  let whole = 0
  for (const call of waiting) {
    const rest = call.items.length - call.begun
    if (rest > room && (rest <= batch_max || room === 0)) break
    const to = call.begun + Math.min(rest, room)
    if (rest > 0) parts.push({ call, from: call.begun, to })
    room -= to - call.begun
    call.begun = to
    if (to < call.items.length) break
    whole++
  }
  waiting.splice(0, whole)
  return parts
}

function itemsOf<Item, Result>(parts: readonly BatchPart<Item, Result>[]): readonly Item[] {
  const [first] = parts
  if (first !== undefined && parts.length === 1) {
    const { call, from, to } = first
    return from === 0 && to === call.items.length ? call.items : call.items.slice(from, to)
  }
  return parts.flatMap(({ call, from, to }) => call.items.slice(from, to))
}

function hand<Item, Result>(
  parts: readonly BatchPart<Item, Result>[],
  results: readonly Result[],
): void {
  let offset = 0
  for (const { call, from, to } of parts) {
    for (let at = from; at < to; at++) call.results.push(results[offset++] as Result)
    if (call.results.length === call.items.length) call.resolve(call.results)
  }
}
