/** What a group has taken and not finished: bounded in messages, in bytes and in its spread. */
import { watermark } from '../watermark.ts'
import { workQueue, type WorkQueueOptions } from '../work-queue.ts'
import type { Delivery } from './delivery.ts'

export interface IntakeBounds {
  /** Messages queued or worked on. */
  readonly queued_max: number
  /** Bytes of messages queued or worked on; one message may go beyond. */
  readonly queued_bytes_max: number
}

export interface Intake {
  push(delivery: Delivery): void
  /** Whether this share of every bound is free. */
  isFree(share: number): boolean
  /** So many more messages fit. */
  room(): number
  /** The lowest number that is not finished; undefined when there is none. */
  lowest(): number | undefined
  /** Neither that one nor any after it was announced before, in ms since 1970. */
  lowest_ms(): number | undefined
  /** Milliseconds since anything was finished though there is work. */
  progress(): number | undefined
  stop(): Promise<void>
}

/** A message that takes for ever lets this many finish beyond it. */
const spread_max = 100_000

export function openIntake(options: WorkQueueOptions<Delivery> & IntakeBounds): Intake {
  const { queued_max, queued_bytes_max } = options
  const mark = watermark()
  let bytes = 0

  const queue = workQueue<Delivery>({
    ...options,
    onFinished(deliveries) {
      for (const { n, bytes: own } of deliveries) {
        bytes -= own
        if (n > 0) mark.finish(n)
      }
      options.onFinished(deliveries)
    },
  })

  return {
    push(delivery) {
      if (delivery.n > 0) mark.begin(delivery.n, delivery.at_ms)
      bytes += delivery.bytes
      queue.push(delivery)
    },
    isFree: (share) =>
      queue.room() > queued_max * share &&
      bytes <= queued_bytes_max * (1 - share) &&
      mark.length <= spread_max * (1 - share),
    room: () => queue.room(),
    lowest: () => mark.lowest(),
    lowest_ms: () => mark.lowest_ms(),
    progress: () => queue.progress(),
    stop: () => queue.stop(),
  }
}
