/** The messages that a group has taken and not finished: bounded in count, bytes and spread. */
import { watermark } from '../watermark.ts'
import { workQueue, type WorkQueueOptions } from '../work-queue.ts'
import type { Delivery } from './delivery.ts'

export interface InFlightBounds {
  /** Messages queued or in work. */
  readonly queued_max: number
  /** Bytes of messages queued or in work; one message may exceed it. */
  readonly queued_bytes_max: number
}

export interface InFlightWindowOptions extends WorkQueueOptions<Delivery>, InFlightBounds {
  /** Held deliveries were released: their derived events are finished. */
  readonly onReleased: () => void
}

export interface InFlightWindow {
  push(delivery: Delivery): void
  /** Holds the deliveries unfinished, even after their work ends, until the release is called. */
  hold(deliveries: readonly Delivery[]): () => void
  /** Whether this share of every bound is free. */
  isFree(share: number): boolean
  /** How many more messages fit. */
  room(): number
  /** The lowest number that is not finished; undefined when there is none. */
  lowest(): number | undefined
  /** No unfinished message was announced before, in ms since 1970. */
  lowest_ms(): number | undefined
  /** Milliseconds since anything was finished; undefined without work. */
  progress(): number | undefined
  /** Whether a message of a newer release waits for a process that understands it. */
  isHeld(): boolean
  stop(): Promise<void>
}

/** At most this many later messages finish while one message does not. */
const spread_max = 100_000

export function openInFlightWindow(options: InFlightWindowOptions): InFlightWindow {
  const { queued_max, queued_bytes_max } = options
  const mark = watermark()
  /** Messages without a number in the log, each with a number of its own. */
  const derived = watermark()
  let derivedNumber = 0
  let bytes = 0

  function settle(delivery: Delivery): void {
    delivery.unfinished -= 1
    if (delivery.unfinished > 0) return
    if (delivery.n > 0) mark.finish(delivery.n)
    else derived.finish(delivery.derivedNumber)
    delivery.onFinished?.()
  }

  const queue = workQueue<Delivery>({
    ...options,
    onFinished(deliveries) {
      for (const delivery of deliveries) {
        bytes -= delivery.bytes
        settle(delivery)
      }
      options.onFinished(deliveries)
    },
  })

  return {
    push(delivery) {
      if (delivery.n > 0) mark.begin(delivery.n, delivery.at_ms)
      else derived.begin((delivery.derivedNumber = ++derivedNumber), delivery.at_ms)
      bytes += delivery.bytes
      queue.push(delivery)
    },
    hold(deliveries) {
      for (const delivery of deliveries) delivery.unfinished += 1
      return () => {
        for (const delivery of deliveries) settle(delivery)
        options.onReleased()
      }
    },
    isFree: (share) =>
      queue.room() > queued_max * share &&
      bytes <= queued_bytes_max * (1 - share) &&
      mark.length + derived.length <= spread_max * (1 - share),
    room: () => queue.room(),
    lowest: () => mark.lowest(),
    lowest_ms() {
      const numbered_ms = mark.lowest_ms()
      const derived_ms = derived.lowest_ms()
      if (numbered_ms === undefined || derived_ms === undefined) {
        return numbered_ms ?? derived_ms
      }
      return Math.min(numbered_ms, derived_ms)
    },
    progress: () => queue.progress(),
    isHeld: () => queue.isHeld(),
    stop: () => queue.stop(),
  }
}
