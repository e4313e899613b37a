/**
 * This process's part in one group's reading of its topics. Fetching only fills a bounded queue, since
 * kafkajs waits for every batch of a broker before it asks that broker again; work is cut from the
 * queue across topics and partitions. What was lost to another member is not worked on any more, what
 * stayed goes on where it was.
 */
import type { Consumer, ConsumerCrashEvent, EachBatchPayload } from 'kafkajs'
import type { Logger } from '../../log.ts'
import { isOutage } from '../../postgres/outage.ts'
import type { Message, Subscription } from '../event-bus.ts'
import { workQueue, type WorkQueue } from '../work-queue.ts'
import { bySubscription } from './assigner.ts'
import type { Brokers } from './brokers.ts'
import { openCommits, type Commits } from './commits.ts'
import { deliveryOf, isFor, openDelivery, type Delivery } from './delivery.ts'
import type { Letters } from './letters.ts'
import { within } from './outage.ts'
import { finishedBefore, fitOf, nameOf, openPlaces, type Place, type Places } from './places.ts'
import type { Topics } from './topics.ts'

export interface IntakeBounds {
  /** Messages queued or worked on. */
  readonly queued_max: number
  /** Bytes of messages queued or worked on; one message may go beyond. */
  readonly queued_bytes_max: number
}

export interface MemberOptions {
  readonly subscription: Subscription
  readonly brokers: Brokers
  readonly topics: Topics
  readonly bounds: IntakeBounds
  /** A member that is silent for so long is taken for dead, and its partitions go to others. */
  readonly session_ms: number
  readonly log: Logger
  readonly letters: Letters
  /** Its reading has ended for good though nobody stopped it. */
  readonly onBroken: (reason: string) => void
}

export interface Member {
  readonly group: string
  readonly topics: readonly string[]
  /** Messages queued or worked on. */
  unfinished(): number
  /** Age of the oldest message that is not finished; 0 when there is none. */
  lag_ms(): number
  /** By `nameOf` the partition: everything before that offset is finished. */
  finished(): ReadonlyMap<string, number>
  /** Milliseconds since anything was finished though there is work, or since Kafka was last heard. */
  progress(): number | undefined
  /** Begins nothing further, waits for what is in flight, commits, leaves the group. */
  stop(): Promise<void>
  /** As if the process was killed, the brokers being closed; resolves when nothing is tried any more. */
  crash(): Promise<void>
}

/** A message that takes for ever lets this many finish beyond it. */
const spread_max = 100_000
/** The longest silence of a consumer to which nothing comes, several times over. */
const silence_ms_max = 10_000
const leave_ms_max = 2_000
const fetch_wait_ms = 500
const partition_bytes_max = 2 ** 20

/** What a member consists of, for its functions. */
interface Parts extends MemberOptions {
  readonly consumer: Consumer
  readonly places: Places
  readonly commits: Commits
  readonly queue: WorkQueue<Delivery>
  /** What the consumer does not fetch because there is no room. */
  readonly paused: Set<Place>
  readonly state: { queued_bytes: number; heard_ms: number; isStopped: boolean }
}

/** Resolves when it has its first part in the group. */
export async function openMember(options: MemberOptions): Promise<Member> {
  const parts = partsOf(options)
  const { subscription, topics, consumer, places, queue, bounds, state } = parts
  listen(parts)
  await consumer.connect()
  await consumer.subscribe({
    topics: subscription.topics.map((topic) => topics.nameOf(topic)),
    fromBeginning: true,
  })
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: (payload) => take(parts, payload),
  })
  return {
    group: subscription.group,
    topics: subscription.topics,
    unfinished: () => bounds.queued_max - queue.room(),
    lag_ms() {
      const oldest = [...places.all()].map(({ mark }) => mark.lowest_ms() ?? Infinity)
      return Math.max(Date.now() - Math.min(Infinity, ...oldest), 0)
    },
    finished: () =>
      new Map(
        [...places.all()].map((place) => [
          nameOf(place.topic, place.partition),
          finishedBefore(place) ?? -1,
        ]),
      ),
    progress() {
      const silent_ms = performance.now() - state.heard_ms
      return queue.progress() ?? (silent_ms > silence_ms_max ? silent_ms : undefined)
    },
    stop: () => stop(parts),
    async crash() {
      state.isStopped = true
      parts.commits.stop()
      void queue.stop()
      await consumer.disconnect().catch(() => undefined)
    },
  }
}

function partsOf(options: MemberOptions): Parts {
  const { subscription, brokers, topics, bounds, session_ms, log, letters } = options
  const { group, batch_max = 100, batches_in_flight_max = 1 } = subscription
  const consumer = brokers.client().consumer({
    groupId: topics.groupName(group),
    partitionAssigners: [bySubscription],
    sessionTimeout: session_ms,
    heartbeatInterval: Math.min(1_000, Math.floor(session_ms / 6)),
    rebalanceTimeout: session_ms,
    maxWaitTimeInMs: fetch_wait_ms,
    minBytes: 1,
    maxBytesPerPartition: partition_bytes_max,
    allowAutoTopicCreation: false,
    retry: brokers.retry,
  })
  const places = openPlaces()
  const commits = openCommits({ places, log })
  const deliveries = new WeakMap<Message, Delivery>()
  const state = { queued_bytes: 0, heard_ms: performance.now(), isStopped: false }
  const paused = new Set<Place>()
  const queue = workQueue<Delivery>({
    log,
    isOutage,
    batch_max,
    batches_in_flight_max,
    queued_max: bounds.queued_max,
    open(delivery) {
      const message = openDelivery(delivery, subscription.read)
      deliveries.set(message, delivery)
      return message
    },
    async handleBatch(messages) {
      const ours = messages.filter((one) => deliveries.get(one)?.place.isLost !== true)
      if (ours.length > 0) await subscription.handleBatch(ours)
    },
    deadLetter: (delivery, reason) =>
      delivery.place.isLost ? Promise.resolve() : letters.store(group, delivery, reason),
    onFinished(finished) {
      for (const delivery of finished) {
        const { place, offset, bytes, isReplay } = delivery
        state.queued_bytes -= bytes
        place.mark.finish(offset)
        if (isReplay && !place.isLost) letters.finished(group, delivery)
      }
      commits.moved()
      resume(parts)
    },
  })
  const parts: Parts = { ...options, consumer, places, commits, queue, paused, state }
  return parts
}

function listen({ consumer, places, commits, paused, state, log, onBroken }: Parts): void {
  const { GROUP_JOIN, REBALANCING, FETCH, CRASH } = consumer.events
  const heard = () => void (state.heard_ms = performance.now())
  consumer.on(FETCH, heard)
  consumer.on(GROUP_JOIN, ({ payload }) => {
    heard()
    places.assign(payload.memberAssignment, performance.now())
    log.info({ assignment: payload.memberAssignment }, 'reads its part of the group')
  })
  // What is finished now need not be worked on again by whoever gets it.
  consumer.on(REBALANCING, () => void commits.commit().catch(() => undefined))
  consumer.on(CRASH, ({ payload }: ConsumerCrashEvent) => {
    paused.clear()
    if (state.isStopped) return
    log.warn({ err: payload.error, restart: payload.restart }, 'the consumer broke off')
    if (!payload.restart) onBroken(`The consumer broke off for good: ${payload.error.message}`)
  })
}

/** Fills the queue, and stops fetching what there is no room for. */
function take(parts: Parts, payload: EachBatchPayload): Promise<void> {
  const { batch } = payload
  const { places, commits, paused, state, log } = parts
  state.heard_ms = performance.now()
  const place = places.of(batch.topic, batch.partition)
  if (place === undefined || state.isStopped) return Promise.resolve()
  commits.use((offsets) => payload.commitOffsetsIfNecessary(offsets))
  const { fetchedOffset } = batch as typeof batch & { readonly fetchedOffset: string }
  const fetched = Number(fetchedOffset)
  const fit = fitOf(place, fetched)
  if (fit === 'leaves out') {
    place.soughtAgain = place.next
    const { topic, partition, next = fetched } = place
    parts.consumer.seek({ topic, partition, offset: String(next) })
    return Promise.resolve()
  }
  if (fit === 'was deleted') {
    log.error({ ...where(place), from: place.next, to: fetched }, 'messages were deleted unread')
    place.next = fetched
  }
  place.next ??= fetched
  place.soughtAgain = undefined
  let last: string | undefined
  for (const record of batch.messages) {
    if (Number(record.offset) >= place.next) {
      if (!isFree(parts, place, 0)) {
        payload.pause()
        paused.add(place)
        break
      }
      push(parts, place, record)
    }
    last = record.offset
  }
  if (last !== undefined) payload.resolveOffset(last)
  if (last === batch.messages.at(-1)?.offset) {
    place.next = Math.max(place.next, Number(batch.lastOffset()) + 1)
  }
  commits.moved()
  return Promise.resolve()
}

function push(parts: Parts, place: Place, record: Parameters<typeof deliveryOf>[2]): void {
  const { subscription, topics, queue, state } = parts
  const delivery = deliveryOf(place, topics.plainName(place.topic), record)
  place.next = delivery.offset + 1
  if (!isFor(delivery, subscription.group, subscription.types)) return
  place.mark.begin(delivery.offset, Number(record.timestamp))
  state.queued_bytes += delivery.bytes
  queue.push(delivery)
}

/** Whether this share of every bound is free. */
function isFree({ queue, bounds, state }: Parts, { mark }: Place, share: number): boolean {
  const { queued_max, queued_bytes_max } = bounds
  return (
    queue.room() > queued_max * share &&
    state.queued_bytes <= queued_bytes_max * (1 - share) &&
    mark.length <= spread_max * (1 - share)
  )
}

function resume(parts: Parts): void {
  const { paused, consumer, state, log } = parts
  if (paused.size === 0 || state.isStopped) return
  const free = [...paused].filter((place) => place.isLost || isFree(parts, place, 0.5))
  if (free.length === 0) return
  for (const place of free) paused.delete(place)
  try {
    consumer.resume(free.map(({ topic, partition }) => ({ topic, partitions: [partition] })))
  } catch (error) {
    // A consumer that begins anew has nothing paused.
    log.debug({ err: error }, 'nothing to resume')
  }
}

async function stop(parts: Parts): Promise<void> {
  const { consumer, subscription, topics, queue, commits, letters, state, log } = parts
  if (state.isStopped) return
  state.isStopped = true
  try {
    consumer.pause(subscription.topics.map((topic) => ({ topic: topics.nameOf(topic) })))
  } catch (error) {
    log.debug({ err: error }, 'nothing to pause')
  }
  await queue.stop()
  commits.stop()
  const leave = async () => {
    await letters.settled()
    await commits.commit()
  }
  await within(leave(), leave_ms_max, 'the offsets were not committed').catch((error: unknown) => {
    log.warn({ err: error }, 'offset not committed: messages come again')
  })
  await within(consumer.disconnect(), leave_ms_max, 'the group was not left').catch(
    (error: unknown) => log.warn({ err: error }, 'the group notices by itself'),
  )
}

function where({ topic, partition }: Place) {
  return { topic, partition }
}
