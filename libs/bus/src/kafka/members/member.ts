/**
 * One subscription of this process: its bounded queue and the messages in work. The reader of its group
 * has its offsets. Messages of a partition that was assigned to another process are not processed.
 */
import type { Logger } from '@causeway/process'
import type { KafkaMessage } from 'kafkajs'
import type { Alarm } from '../../alarms.ts'
import type { PublishDerived, Message, Subscription } from '../../event-bus.ts'
import { openBackgroundWork } from '../../background-work.ts'
import { inTurn, type Turns } from '../../turns.ts'
import { workQueue } from '../../work-queue.ts'
import { deliveryOf, handlingOf, openDelivery, type Delivery, type Handling } from '../delivery.ts'
import type { DeadLetterTopic } from '../dead-letter-topic.ts'
import type { AssignedPartition } from './assigned-partitions.ts'

export interface IntakeBounds {
  /** Messages queued or in work. */
  readonly queued_max: number
  /** Bytes of messages queued or in work; one message may exceed it. */
  readonly queued_bytes_max: number
}

export interface MemberOptions {
  readonly subscription: Subscription
  /** The messages are durable before it resolves: the offset is committed after it. */
  readonly publishDerived: PublishDerived
  readonly turns: Turns
  readonly bounds: IntakeBounds
  readonly log: Logger
  readonly alarm: Alarm
  readonly deadLetters: DeadLetterTopic
  /** This release does not understand a message of the partition; another process may. */
  readonly onHeld: (assigned: AssignedPartition) => void
  /** Messages are finished: there may be room, and offsets to commit. */
  readonly onFinished: () => void
}

export interface Member {
  readonly subscription: Subscription
  /** Takes the next record of a partition. `topic` is its name in the catalogue. */
  take(assigned: AssignedPartition, topic: string, record: KafkaMessage): Handling
  /** Whether this share of every bound is free. */
  isFree(assigned: AssignedPartition, share: number): boolean
  /** Messages queued or in work. */
  unfinished(): number
  /** Milliseconds since anything was finished; undefined without work. */
  progress(): number | undefined
  /** Starts no further work and waits for what is in flight. */
  stop(): Promise<void>
}

/** At most this many later messages finish while one message does not. */
const spread_max = 100_000

export function openMember(options: MemberOptions): Member {
  const { subscription, publishDerived, turns, bounds, log, alarm, onFinished } = options
  const { batch_max = 100, batches_in_flight_max = 1 } = subscription
  const { queued_max, queued_bytes_max } = bounds
  const deliveries = new WeakMap<Message, Delivery>()
  let queued_bytes = 0

  const { settle, background, deadLetter } = openEnds(options)
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
      const ours = messages.filter((one) => deliveries.get(one)?.assigned.isLost !== true)
      if (ours.length === 0) return
      const held = ours.map((one) => deliveries.get(one)).filter((one) => one !== undefined)
      const until = (work: Promise<void>) => background.keep(held, work)
      await inTurn(turns, subscription, (giveWay) =>
        subscription.handleBatch(ours, { publishDerived, until, giveWay }),
      )
    },
    deadLetter,
    onHeld: ({ assigned }) => options.onHeld(assigned),
    onFinished(finished) {
      for (const delivery of finished) {
        queued_bytes -= delivery.bytes
        settle(delivery)
      }
      onFinished()
    },
  })
  return {
    subscription,
    take(assigned, topic, record) {
      const delivery = deliveryOf(assigned, topic, record)
      const handling = handlingOf(delivery, subscription)
      if (handling !== 'taken') return handling
      assigned.mark.begin(delivery.offset, Number(record.timestamp))
      queued_bytes += delivery.bytes
      queue.push(delivery)
      return handling
    },
    isFree: ({ mark }, share) =>
      queue.room() > queued_max * share &&
      queued_bytes <= queued_bytes_max * (1 - share) &&
      mark.length <= spread_max * (1 - share),
    unfinished: () => queued_max - queue.room(),
    progress: () => queue.progress(),
    async stop() {
      await queue.stop()
      await background.settled()
    },
  }
}

/** A delivery ends when its batch and the background work after it have ended. */
function openEnds({ subscription, deadLetters, log, onFinished }: MemberOptions) {
  function settle(delivery: Delivery): void {
    delivery.unfinished -= 1
    if (delivery.unfinished > 0) return
    const { assigned, offset, isReplay } = delivery
    assigned.mark.finish(offset)
    if (isReplay && !assigned.isLost) deadLetters.finished(subscription, delivery)
  }

  const deadLetter = (delivery: Delivery, reason: string): Promise<void> =>
    delivery.assigned.isLost ? Promise.resolve() : deadLetters.store(subscription, delivery, reason)
  const background = openBackgroundWork<Delivery>({
    hold(held) {
      for (const delivery of held) delivery.unfinished += 1
      return () => {
        for (const delivery of held) settle(delivery)
        onFinished()
      }
    },
    deadLetter,
    log,
  })
  return { settle, deadLetter, background }
}
