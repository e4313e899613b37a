/** What a group has taken and not finished: bounded in messages, in bytes and in its spread. */
import { watermark } from '../watermark.ts'
import { workQueue, type WorkQueueOptions } from '../work-queue.ts'
import type { Delivery } from './delivery.ts'

export interface InFlightBounds {
  /** Messages queued or worked on. */
  readonly queued_max: number
  /** Bytes of messages queued or worked on; one message may go beyond. */
  readonly queued_bytes_max: number
}

export interface InFlightWindowOptions extends WorkQueueOptions<Delivery>, InFlightBounds {
  /** What these had led to is finished, and so are they. */
  readonly onReleased: () => void
}

export interface InFlightWindow {
  push(delivery: Delivery): void
  /** They stay unfinished, though their work may end, until the release is called. */
  hold(deliveries: readonly Delivery[]): () => void
  /** Whether this share of every bound is free. */
  isFree(share: number): boolean
  /** So many more messages fit. */
  room(): number
  /** The lowest number that is not finished; undefined when there is none. */
  lowest(): number | undefined
  /** Nothing that is not finished was announced before, in ms since 1970. */
  lowest_ms(): number | undefined
  /** Milliseconds since anything was finished though there is work. */
  progress(): number | undefined
  /** Whether a message of a newer release waits for a process that understands it. */
  isHeld(): boolean
  stop(): Promise<void>
}

/** A message that takes for ever lets this many finish beyond it. */
const spread_max = 100_000

export function openInFlightWindow(options: InFlightWindowOptions): InFlightWindow {
  const { queued_max, queued_bytes_max } = options
  const mark = watermark()
  /** Of what has no number of the log, by a number of its own. */
  const followed = watermark()
  let follower = 0
  let bytes = 0

  function settle(delivery: Delivery): void {
    delivery.unfinished -= 1
    if (delivery.unfinished > 0) return
    if (delivery.n > 0) mark.finish(delivery.n)
    else followed.finish(delivery.follower)
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
      else followed.begin((delivery.follower = ++follower), delivery.at_ms)
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
      mark.length + followed.length <= spread_max * (1 - share),
    room: () => queue.room(),
    lowest: () => mark.lowest(),
    lowest_ms() {
      const numbered_ms = mark.lowest_ms()
      const followed_ms = followed.lowest_ms()
      if (numbered_ms === undefined || followed_ms === undefined) {
        return numbered_ms ?? followed_ms
      }
      return Math.min(numbered_ms, followed_ms)
    },
    progress: () => queue.progress(),
    isHeld: () => queue.isHeld(),
    stop: () => queue.stop(),
  }
}
