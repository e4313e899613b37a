/**
 * The queue between a log and the handler of one subscription. A batch is what has queued, up to a bound,
 * never what a timer gathered; no two batches in flight hold the same key; each message is finished
 * exactly once. It uses neither a log nor a network, so every engine works through it.
 */
import { setMaxListeners } from 'node:events'
import { keyedBacklog, plainBacklog, type Batch, type Keyed } from './backlog.ts'
import { pause as pauseFor } from './pause.ts'
import { workOff, type Work } from './poison-messages.ts'

export interface WorkQueueOptions<Item> extends Omit<Work<Item>, 'stopping' | 'pause'> {
  /** How many messages may queue or be in work; the pushing side asks for room first. */
  readonly queued_max: number
  readonly batch_max: number
  readonly batches_in_flight_max: number
  /** Resolves after that time, or at once when stopping; for tests. */
  readonly pause?: typeof pauseFor
}

export interface WorkQueue<Item> {
  /** The messages of one key must be pushed in their order. */
  push(item: Item): void
  /** How many more messages may be pushed. */
  room(): number
  /**
   * Milliseconds since anything was finished; undefined without work.
   */
  progress(): number | undefined
  /** Whether a message of a newer release waits for a process that understands it. */
  isHeld(): boolean
  /** Starts no further work or attempt; resolves when nothing is in flight. */
  stop(): Promise<void>
}

/** Opens a queue; `onFinished` is called for every message once, in any order across keys. */
export function workQueue<Item extends Keyed>(options: WorkQueueOptions<Item>): WorkQueue<Item> {
  const { batch_max, batches_in_flight_max, queued_max, pause = pauseFor } = options
  const backlog = batches_in_flight_max === 1 ? plainBacklog<Item>() : keyedBacklog<Item>()
  const stopping = new AbortController()
  setMaxListeners(batches_in_flight_max, stopping.signal)
  let unfinished = 0
  let inFlight = 0
  let progressed_ms = 0
  let cutting = false
  let onIdle: (() => void) | undefined

  const held = new Set<Item>()
  const onHeld = noting(held, options.onHeld)
  const { signal } = stopping
  const work: Work<Item> = { ...options, onFinished: finish, onHeld, stopping: signal, pause }

  function finish(items: readonly Item[]): void {
    unfinished -= items.length
    progressed_ms = performance.now()
    if (held.size > 0) for (const item of items) held.delete(item)
    options.onFinished(items)
  }

  /** Messages that are pushed within one turn of the event loop are batched together. */
  function cutSoon(): void {
    if (cutting || inFlight === batches_in_flight_max) return
    cutting = true
    setImmediate(() => {
      cutting = false
      cut()
    })
  }

  function cut(): void {
    while (inFlight < batches_in_flight_max && !stopping.signal.aborted) {
      const batch = backlog.take(batch_max)
      if (batch === undefined) return
      inFlight++
      void workOn(batch)
    }
  }

  async function workOn(batch: Batch<Item>): Promise<void> {
    await workOff(batch.items, work)
    backlog.release(batch)
    inFlight--
    cutSoon()
    if (inFlight === 0) onIdle?.()
  }

  return {
    push(item) {
      if (unfinished++ === 0) progressed_ms = performance.now()
      backlog.push(item)
      cutSoon()
    },
    room: () => queued_max - unfinished,
    // A restart would not help: this release still would not understand a held message.
    progress: () =>
      unfinished === 0 || held.size > 0 ? undefined : performance.now() - progressed_ms,
    isHeld: () => held.size > 0,
    async stop() {
      stopping.abort()
      if (inFlight > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}

function noting<Item>(held: Set<Item>, onHeld: Work<Item>['onHeld']): Work<Item>['onHeld'] {
  return (item, error) => {
    held.add(item)
    onHeld(item, error)
  }
}
