/**
 * Receives broadcasts: all partitions of the topics that the process subscribes to, from the moment of
 * the subscription. Each process has a group of its own that commits nothing, so the brokers remove it
 * some minutes after the process ends.
 */
import { randomUUID } from 'node:crypto'
import { type Logger, retrying } from '@causeway/process'
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { Listener, BroadcastSubscription } from '../../event-bus.ts'
import { deliverBroadcast } from '../../broadcast.ts'
import type { Administration } from '../administration.ts'
import type { Brokers } from '../brokers.ts'
import { openConsumption, type Assignment, type Consumption } from './consumption.ts'
import { nameOf } from './assigned-partitions.ts'
import { attributes, headerText, toMessage } from '../record.ts'
import type { Topics } from '../topics.ts'

export interface BroadcastConsumerOptions {
  readonly brokers: Brokers
  readonly administration: Administration
  readonly topics: Topics
  readonly session_ms: number
  readonly log: Logger
  readonly stopping: AbortSignal
}

export interface BroadcastConsumer {
  subscribe(listening: BroadcastSubscription): Promise<Listener>
  /** Whether the process receives all topics that it subscribes to. */
  readonly isJoined: boolean
  /** Milliseconds since the last answer of Kafka, when that is long ago. */
  progress(): number | undefined
  stop(): Promise<void>
  /** Like a kill of the process. */
  crash(): Promise<void>
}

/** No other member waits for its partitions, so it may poll seldom. */
const fetchWait_ms = 1_500
const silence_ms_max = 15_000

interface BroadcastConsumerParts extends BroadcastConsumerOptions {
  readonly groupId: string
  readonly consumption: Consumption
  readonly listeners: Set<BroadcastSubscription>
  /** The offset that is read next, by `nameOf` the partition. */
  readonly next: Map<string, number>
}

export function openBroadcastConsumer(options: BroadcastConsumerOptions): BroadcastConsumer {
  const { topics, brokers, session_ms, log, administration } = options
  const groupId = topics.ownGroupName('broadcast', randomUUID())
  const next = new Map<string, number>()
  const listeners = new Set<BroadcastSubscription>()
  const consumption = openConsumption({
    brokers,
    groupId,
    begins: 'newest',
    session_ms: Math.max(session_ms, fetchWait_ms * 2),
    fetchWait_ms,
    log,
    onJoined: (assignment, consumer) => goOn(next, assignment, consumer),
    onLeaving: () => Promise.resolve(),
    take: (payload) => take(parts, payload),
    onBegun: () => undefined,
  })
  const parts: BroadcastConsumerParts = { ...options, groupId, consumption, listeners, next }
  let isUsed = false
  return {
    subscribe(listening) {
      isUsed = true
      return listen(parts, listening)
    },
    get isJoined() {
      return listeners.size === 0 || consumption.isJoined
    },
    progress() {
      const silent_ms = consumption.silent_ms()
      return silent_ms > silence_ms_max ? silent_ms : undefined
    },
    async stop() {
      await consumption.stop()
      if (isUsed) administration.forgetGroup(groupId)
    },
    crash: () => consumption.crash(),
  }
}

async function listen(
  parts: BroadcastConsumerParts,
  listening: BroadcastSubscription,
): Promise<Listener> {
  const { administration, topics, consumption, listeners, next, log, stopping } = parts
  const names = listening.topics.map((topic) => topics.nameOf(topic))
  const read = new Set([...listeners].flatMap((other) => namesOf(parts, other)))
  const more = names.filter((name) => !read.has(name))
  const what = `reading the offsets at which ${listening.group} begins`
  const found = await retrying(() => administration.ends(more), { log, what, signal: stopping })
  for (const { topic, partitions } of found) {
    for (const { partition, high } of partitions) {
      const name = nameOf(topic, partition)
      next.set(name, Math.min(high, next.get(name) ?? high))
    }
  }
  listeners.add(listening)
  consumption.add(names)
  return {
    async stop() {
      if (!listeners.delete(listening)) return
      const still = new Set([...listeners].flatMap((other) => namesOf(parts, other)))
      const gone = names.filter((name) => !still.has(name))
      for (const name of next.keys()) {
        if (gone.includes(name.slice(0, name.lastIndexOf(' ')))) next.delete(name)
      }
      if (gone.length > 0) await consumption.remove(gone)
    },
  }
}

function namesOf(
  { topics }: BroadcastConsumerParts,
  { topics: plain }: BroadcastSubscription,
): readonly string[] {
  return plain.map((topic) => topics.nameOf(topic))
}

/** Continues at its own offsets, whatever the group has stored. */
function goOn(next: ReadonlyMap<string, number>, assignment: Assignment, consumer: Consumer): void {
  for (const topic in assignment) {
    for (const partition of assignment[topic] ?? []) {
      const offset = next.get(nameOf(topic, partition))
      if (offset !== undefined) consumer.seek({ topic, partition, offset: String(offset) })
    }
  }
}

function take(parts: BroadcastConsumerParts, payload: EachBatchPayload): void {
  const { batch } = payload
  const { topics, listeners, next, log } = parts
  const name = nameOf(batch.topic, batch.partition)
  const expected = next.get(name)
  const own = [...listeners].filter((listening) => namesOf(parts, listening).includes(batch.topic))
  const { fetchedOffset } = batch as typeof batch & { readonly fetchedOffset: string }
  if (expected !== undefined && Number(fetchedOffset) > expected) {
    log.error(
      { topic: batch.topic, from: expected, to: fetchedOffset },
      'deleted before it was received',
    )
    for (const { onMissed } of own) onMissed()
  }
  const fresh = batch.messages.filter(({ offset }) => Number(offset) >= (expected ?? 0))
  for (const listening of own) deliver(listening, topics.plainName(batch.topic), fresh, log)
  next.set(name, Math.max(expected ?? 0, Number(batch.lastOffset()) + 1))
  payload.resolveOffset(batch.lastOffset())
}

function deliver(
  listening: BroadcastSubscription,
  topic: string,
  records: readonly KafkaMessage[],
  log: Logger,
): void {
  const { types, known, onMissed } = listening
  const own = records.filter(({ headers }) => {
    const type = headerText(headers, attributes.type)
    if (type === undefined || types.has(type)) return true
    if (known?.has(type) === false) onMissed()
    return false
  })
  if (own.length === 0) return
  const open = () =>
    own.map((record) => {
      const message = toMessage(topic, record)
      return { ...message, payload: listening.read(message.type, message.payload) }
    })
  deliverBroadcast(listening, open, log)
}
