/**
 * Dead letters are stored in a compacted topic of their service, each whole and with its reason, until
 * an operator replays it and its group has finished it, or until it is discarded. A replay is a copy in
 * another topic of the service, for that group alone: it is delivered like any other message, also after
 * a crash. No other service reads or writes the two.
 */
import { randomUUID } from 'node:crypto'
import { type Logger, type Metrics, retrying } from '@causeway/process'
import type { Consumer, KafkaMessage } from 'kafkajs'
import { Counter } from 'prom-client'
import type { DeadLetter, Discarded, Subscription } from '../event-bus.ts'
import type { Administration } from './administration.ts'
import type { Brokers } from './brokers.ts'
import type { Delivery } from './delivery.ts'
import { within } from './deadline.ts'
import {
  attributes,
  headerBytes,
  headerText,
  keyOf,
  recordOf,
  type OutgoingRecord,
} from './record.ts'
import type { Sender } from './outbox/sender.ts'
import { loggableKey } from '../loggable-key.ts'
import type { Topics } from './topics.ts'

export interface DeadLetterTopic {
  /** Stores a message that a group failed to process, and logs it as an error. */
  store(owner: Owner, delivery: Delivery, reason: string): Promise<void>
  /** A replay is finished: its dead letter is removed, unless it was stored again. */
  finished(owner: Owner, delivery: Delivery): void
  /** Resolves when every finished dead letter is removed. */
  settled(): Promise<void>
  /** Dead letters, newest first. */
  newest(limit: number): Promise<readonly DeadLetter[]>
  /** Delivers a dead letter to its group again; false if there is none. */
  replay(group: string, id: string): Promise<boolean>
  /** @param ownerOf the reader of a topic of the catalogue in this process */
  discard(
    group: string,
    id: string,
    ownerOf: (topic: string) => Owner | undefined,
  ): Promise<Discarded>
}

/** The group that a dead letter belongs to. */
export type Owner = Pick<Subscription, 'group' | 'deadLetterObserver'>

export interface DeadLetterTopicOptions {
  readonly brokers: Brokers
  readonly administration: Administration
  readonly topics: Topics
  readonly sender: Sender
  readonly log: Logger
  readonly metrics: Metrics
  readonly stopping: AbortSignal
}

/** Of the dead letter itself, in addition to the headers of the message. */
export const deadLetterHeaders = {
  id: 'ce_letterid',
  group: 'ce_lettergroup',
  topic: 'ce_lettertopic',
  key: 'ce_letterkey',
  reason: 'ce_letterreason',
  time: 'ce_lettertime',
} as const

const read_ms_max = 20_000
const fetch_wait_ms = 50
/** After this many empty fetches there is nothing left to read. */
const empty_max = 40

export function openDeadLetterTopic(options: DeadLetterTopicOptions): DeadLetterTopic {
  const { sender, topics, log, metrics, stopping } = options
  const storedAgain = new WeakSet<Delivery>()
  let removing = Promise.resolve()
  const counter = new Counter({
    name: 'bus_dead_letters_total',
    help: 'Messages that a group failed to process and stored as dead letters',
    labelNames: ['group'],
    registers: [metrics],
  })

  async function removeNow(
    { group, deadLetterObserver }: Owner,
    named: DeadLetterSummary,
  ): Promise<void> {
    const { id, topic, key, type } = named
    await deadLetterObserver?.onRemoved({ id, topic, key, type })
    await sender.send([removalFrom(topics.ownOf(group).deadLetters, group, id)]).settled
  }

  async function remove(owner: Owner, named: DeadLetterSummary): Promise<void> {
    const { group } = owner
    const { id } = named
    try {
      const what = 'remove a replayed dead letter'
      await retrying(() => removeNow(owner, named), { log, what, signal: stopping })
    } catch (error) {
      log.error({ err: error, group, id }, 'dead letter not removed: it is still stored')
    }
  }

  return {
    async store({ group, deadLetterObserver }, delivery, reason) {
      const { id, topic, key, type } = namedOf(delivery)
      await deadLetterObserver?.onStored({ id, topic, key, type, reason })
      const { deadLetters } = topics.ownOf(group)
      const record = recordOfDeadLetter(deadLetters, { group, id, reason }, delivery)
      await sender.send([record]).settled
      storedAgain.add(delivery)
      counter.inc({ group })
      log.error({ group, topic, key: loggableKey(key), type, id, reason }, 'dead letter')
    },
    finished(owner, delivery) {
      if (storedAgain.has(delivery)) return
      removing = removing.then(() => remove(owner, namedOf(delivery)))
    },
    settled: () => removing,
    newest: (limit) => newest(options, limit),
    async replay(group, id) {
      const stored = await find(options, group, id)
      if (stored === undefined) return false
      await sender.send([replayOf(topics.ownOf(group).replays, group, stored)]).settled
      return true
    },
    async discard(group, id, ownerOf) {
      const stored = await find(options, group, id)
      if (stored === undefined) return 'UNKNOWN'
      const { topic, key, type } = deadLetterOf(stored)
      const owner = ownerOf(topic)
      if (owner === undefined) return 'ELSEWHERE'
      await removeNow(owner, { id, topic, key, type })
      log.warn({ group, topic, key: loggableKey(key), type, id }, 'dead letter discarded')
      return 'DISCARDED'
    },
  }
}

function keyIn(group: string, id: string): string {
  return `${group}\n${id}`
}

/** A dead letter as a group's observer receives it. */
type DeadLetterSummary = Pick<DeadLetter, 'id' | 'topic' | 'key' | 'type'>

function namedOf(delivery: Delivery): DeadLetterSummary {
  const { topic, key, type = '' } = delivery
  return { id: idOf(delivery), topic, key, type }
}

/**
 * A message without an id is named after its offset in the log, also when it is delivered again.
 */
function idOf({ record: { headers }, assigned, offset }: Delivery): string {
  const own = headerText(headers, attributes.id) ?? headerText(headers, deadLetterHeaders.id)
  return own ?? `${assigned.topic}/${assigned.partition}/${offset}`
}

function newestFirst(letters: readonly DeadLetter[]): readonly DeadLetter[] {
  return letters.toReversed().toSorted((one, other) => compare(other.time, one.time))
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

function removalFrom(topic: string, group: string, id: string): OutgoingRecord {
  return recordOf({ topic, key: keyIn(group, id), value: null, headers: {} })
}

function recordOfDeadLetter(
  deadLetters: string,
  { group, id, reason }: Pick<DeadLetter, 'group' | 'id' | 'reason'>,
  delivery: Delivery,
): OutgoingRecord {
  const { topic, key, record } = delivery
  const { [attributes.replayFor]: _replayFor, ...headers } = headerBytes(record.headers)
  return recordOf({
    topic: deadLetters,
    key: keyIn(group, id),
    // A record without a value would remove the dead letter.
    value: record.value ?? Buffer.alloc(0),
    headers: {
      ...headers,
      [deadLetterHeaders.id]: id,
      [deadLetterHeaders.group]: group,
      [deadLetterHeaders.topic]: topic,
      [deadLetterHeaders.key]: key,
      [deadLetterHeaders.reason]: reason,
      [deadLetterHeaders.time]: new Date().toISOString(),
    },
  })
}

function replayOf(
  replays: string,
  group: string,
  { headers, value }: KafkaMessage,
): OutgoingRecord {
  const {
    [deadLetterHeaders.group]: _group,
    [deadLetterHeaders.reason]: _reason,
    [deadLetterHeaders.time]: _time,
    ...rest
  } = headerBytes(headers)
  return recordOf({
    topic: replays,
    key: headerText(headers, deadLetterHeaders.key) ?? '',
    value,
    headers: { ...rest, [attributes.replayFor]: group },
  })
}

function deadLetterOf({ headers }: KafkaMessage): DeadLetter {
  const text = (name: string) => headerText(headers, name) ?? ''
  return {
    id: text(deadLetterHeaders.id),
    group: text(deadLetterHeaders.group),
    topic: text(deadLetterHeaders.topic),
    key: text(deadLetterHeaders.key),
    type: text(attributes.type),
    reason: text(deadLetterHeaders.reason),
    time: text(deadLetterHeaders.time),
  }
}

async function newest(
  options: DeadLetterTopicOptions,
  limit: number,
): Promise<readonly DeadLetter[]> {
  const { own } = options.topics
  const all = await Promise.all(own.map(({ deadLetters }) => readAll(options, deadLetters)))
  const letters = all.flatMap((found) => [...found.values()].map(deadLetterOf))
  return newestFirst(letters).slice(0, limit)
}

async function find(options: DeadLetterTopicOptions, group: string, id: string) {
  const { deadLetters } = options.topics.ownOf(group)
  return (await readAll(options, deadLetters)).get(keyIn(group, id))
}

/** All dead letters of a topic by key at the time of the call, the newest last. Read seldom, so not cached. */
async function readAll(
  { brokers, administration, topics }: DeadLetterTopicOptions,
  deadLetters: string,
): Promise<ReadonlyMap<string, KafkaMessage>> {
  const topic = topics.nameOf(deadLetters)
  const [ends] = await administration.ends([topic])
  const { low = 0, high = 0 } = ends?.partitions[0] ?? {}
  const found = new Map<string, KafkaMessage>()
  if (low === high) return found
  const groupId = topics.ownGroupName('dead-letters', randomUUID())
  const branch = brokers.branch()
  const consumer = branch.client().consumer({
    groupId,
    maxWaitTimeInMs: fetch_wait_ms,
    allowAutoTopicCreation: false,
    retry: branch.retry,
  })
  try {
    const reading = readInto(found, consumer, topic, high)
    await within(reading, read_ms_max, 'the dead letters were not read')
    return found
  } finally {
    await consumer.disconnect()
    branch.close()
    // Otherwise the brokers would retain the empty group for days.
    administration.forgetGroup(groupId)
  }
}

async function readInto(
  found: Map<string, KafkaMessage>,
  consumer: Consumer,
  topic: string,
  high: number,
): Promise<void> {
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  let empty = 0
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.FETCH, () => {
      // Records at the end that were compacted away never arrive.
      if (++empty > empty_max) resolve()
    })
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
    const running = consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        empty = 0
        for (const record of batch.messages) note(found, record)
        if (Number(batch.lastOffset()) >= high - 1) resolve()
        return Promise.resolve()
      },
    })
    running.catch(reject)
  })
}

function note(found: Map<string, KafkaMessage>, record: KafkaMessage): void {
  const key = keyOf(record.key)
  found.delete(key)
  if (record.value !== null) found.set(key, record)
}
