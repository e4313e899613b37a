/**
 * One subscription of this process: its bounded queue, and what of it is being worked on. Where it is in
 * the log its group's reader keeps; what was lost to another process is not worked on any more.
 */
import type { KafkaMessage } from 'kafkajs'
import type { Logger } from '../../log.ts'
import type { Alarm } from '../alarms.ts'
import type { FollowUp, Message, Subscription } from '../event-bus.ts'
import { workQueue } from '../work-queue.ts'
import { deliveryOf, fateOf, openDelivery, type Delivery, type Fate } from './delivery.ts'
import type { Letters } from './letters.ts'
import type { Place } from './places.ts'

export interface IntakeBounds {
  /** Messages queued or worked on. */
  readonly queued_max: number
  /** Bytes of messages queued or worked on; one message may go beyond. */
  readonly queued_bytes_max: number
}

export interface MemberOptions {
  readonly subscription: Subscription
  /** Durable before it resolves: the offset is committed after it. */
  readonly followUp: FollowUp
  readonly bounds: IntakeBounds
  readonly log: Logger
  readonly alarm: Alarm
  readonly letters: Letters
  /** This release does not understand a message of it, which another process of the group may. */
  readonly onHeld: (place: Place) => void
  /** Some of it is finished: there may be room, and something to commit. */
  readonly onFinished: () => void
}

export interface Member {
  readonly subscription: Subscription
  /** Takes the next record of a place, of a topic as the catalogue names it. */
  take(place: Place, topic: string, record: KafkaMessage): Fate
  /** Whether this share of every bound is free. */
  isFree(place: Place, share: number): boolean
  /** Messages queued or worked on. */
  unfinished(): number
  /** Milliseconds since anything was finished though there is work. */
  progress(): number | undefined
  /** Begins nothing further, waits for what is in flight. */
  stop(): Promise<void>
}

/** A message that takes for ever lets this many finish beyond it. */
const spread_max = 100_000

export function openMember(options: MemberOptions): Member {
  const { subscription, followUp, bounds, log, alarm, letters, onFinished } = options
  const { batch_max = 100, batches_in_flight_max = 1 } = subscription
  const { queued_max, queued_bytes_max } = bounds
  const deliveries = new WeakMap<Message, Delivery>()
  let queued_bytes = 0
  const queue = workQueue<Delivery>({
    log,
    alarm,
    batch_max,
    batches_in_flight_max,
    queued_max,
    open(delivery) {
      const message = openDelivery(delivery, subscription.read)
      deliveries.set(message, delivery)
      return message
    },
    async handleBatch(messages) {
      const ours = messages.filter((one) => deliveries.get(one)?.place.isLost !== true)
      if (ours.length === 0) return
      const lasting: Promise<void>[] = []
      await subscription.handleBatch(ours, { followUp, until: (work) => void lasting.push(work) })
      await Promise.all(lasting)
    },
    deadLetter: (delivery, reason) =>
      delivery.place.isLost ? Promise.resolve() : letters.store(subscription, delivery, reason),
    onHeld: ({ place }) => options.onHeld(place),
    onFinished(finished) {
      for (const delivery of finished) {
        const { place, offset, bytes, isReplay } = delivery
        queued_bytes -= bytes
        place.mark.finish(offset)
        if (isReplay && !place.isLost) letters.finished(subscription, delivery)
      }
      onFinished()
    },
  })
  return {
    subscription,
    take(place, topic, record) {
      const delivery = deliveryOf(place, topic, record)
      const fate = fateOf(delivery, subscription)
      if (fate !== 'taken') return fate
      place.mark.begin(delivery.offset, Number(record.timestamp))
      queued_bytes += delivery.bytes
      queue.push(delivery)
      return fate
    },
    isFree: ({ mark }, share) =>
      queue.room() > queued_max * share &&
      queued_bytes <= queued_bytes_max * (1 - share) &&
      mark.length <= spread_max * (1 - share),
    unfinished: () => queued_max - queue.room(),
    progress: () => queue.progress(),
    stop: () => queue.stop(),
  }
}
