/**
 * What a group gave up lies in a compacted topic, whole and with its reason, until somebody has it
 * replayed and the group has finished it. A replay is a copy in a topic of replays, meant for that group
 * alone: so it is delivered like any other, also after a crash, and nobody writes to another's topic.
 */
import { randomUUID } from 'node:crypto'
import type { Consumer, KafkaMessage } from 'kafkajs'
import { Counter } from 'prom-client'
import type { Logger } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import { retrying } from '../../retrying.ts'
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
import type { Sender } from './sender.ts'
import { deadLetters, replays, type Topics } from './topics.ts'

export interface DeadLetterTopic {
  /** Stores what a group gives up, and raises the alarm. */
  store(owner: Owner, delivery: Delivery, reason: string): Promise<void>
  /** A replay is finished: its letter goes, unless it was stored anew. */
  finished(owner: Owner, delivery: Delivery): void
  /** Resolves when every letter that was finished is removed. */
  settled(): Promise<void>
  /** The newest first. */
  newest(limit: number): Promise<readonly DeadLetter[]>
  /** Hands it to its group again; false if there is none. */
  replay(group: string, id: string): Promise<boolean>
  /** @param ownerOf who reads a topic of the catalogue in this process */
  discard(
    group: string,
    id: string,
    ownerOf: (topic: string) => Owner | undefined,
  ): Promise<Discarded>
}

/** Whose letter it is. */
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

/** Of the letter itself, beside the headers of the message. */
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
/** So many answers without anything in them, and there is nothing left to read. */
const empty_max = 40

export function openDeadLetterTopic(options: DeadLetterTopicOptions): DeadLetterTopic {
  const { sender, log, metrics, stopping } = options
  const storedAnew = new WeakSet<Delivery>()
  let removing = Promise.resolve()
  const counter = new Counter({
    name: 'bus_dead_letters_total',
    help: 'Messages that a group gave up',
    labelNames: ['group'],
    registers: [metrics],
  })

  async function removeNow({ group, deadLetterObserver }: Owner, letter: Named): Promise<void> {
    const { id, topic, key, type } = letter
    await deadLetterObserver?.onRemoved({ id, topic, key, type })
    const gone = { topic: deadLetters, key: keyIn(group, id), value: null, headers: {} }
    await sender.send([recordOf(gone)]).settled
  }

  async function remove(owner: Owner, letter: Named): Promise<void> {
    const { group } = owner
    const { id } = letter
    try {
      const what = 'remove a replayed dead letter'
      await retrying(() => removeNow(owner, letter), { log, what, signal: stopping })
    } catch (error) {
      log.error({ err: error, group, id }, 'dead letter not removed: it is there still')
    }
  }

  return {
    async store({ group, deadLetterObserver }, delivery, reason) {
      const { id, topic, key, type } = namedOf(delivery)
      await deadLetterObserver?.onStored({ id, topic, key, type, reason })
      await sender.send([letterOf(group, id, delivery, reason)]).settled
      storedAnew.add(delivery)
      counter.inc({ group })
      log.error({ group, topic, key, type, id, reason }, 'dead letter')
    },
    finished(owner, delivery) {
      if (storedAnew.has(delivery)) return
      removing = removing.then(() => remove(owner, namedOf(delivery)))
    },
    settled: () => removing,
    async newest(limit) {
      const letters = [...(await readAll(options)).values()]
      return letters.slice(-limit).reverse().map(deadLetterOf)
    },
    async replay(group, id) {
      const letter = (await readAll(options)).get(keyIn(group, id))
      if (letter === undefined) return false
      await sender.send([replayOf(group, letter)]).settled
      return true
    },
    async discard(group, id, ownerOf) {
      const stored = (await readAll(options)).get(keyIn(group, id))
      if (stored === undefined) return 'UNKNOWN'
      const { topic, key, type } = deadLetterOf(stored)
      const owner = ownerOf(topic)
      if (owner === undefined) return 'ELSEWHERE'
      await removeNow(owner, { id, topic, key, type })
      log.warn({ group, topic, key, type, id }, 'dead letter discarded')
      return 'DISCARDED'
    },
  }
}

function keyIn(group: string, id: string): string {
  return `${group}\n${id}`
}

/** A letter as its group's watch is told of it. */
type Named = Pick<DeadLetter, 'id' | 'topic' | 'key' | 'type'>

function namedOf(delivery: Delivery): Named {
  const { topic, key, type = '' } = delivery
  return { id: idOf(delivery), topic, key, type }
}

/** What says no id is called after its place in the log, also when it comes again from another. */
function idOf({ record: { headers }, assigned, offset }: Delivery): string {
  const said = headerText(headers, attributes.id) ?? headerText(headers, deadLetterHeaders.id)
  return said ?? `${assigned.topic}/${assigned.partition}/${offset}`
}

function letterOf(group: string, id: string, delivery: Delivery, reason: string): OutgoingRecord {
  const { topic, key, record } = delivery
  const { [attributes.replayFor]: _replayFor, ...headers } = headerBytes(record.headers)
  return recordOf({
    topic: deadLetters,
    key: keyIn(group, id),
    // Without a value it would be no letter but the removal of one.
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

function replayOf(group: string, { headers, value }: KafkaMessage): OutgoingRecord {
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

/** All letters by key, the newest last, as of the call. Seldom asked for, so nothing is kept ready. */
async function readAll(
  options: DeadLetterTopicOptions,
): Promise<ReadonlyMap<string, KafkaMessage>> {
  const { brokers, administration, topics } = options
  const topic = topics.nameOf(deadLetters)
  const [ends] = await administration.ends([topic])
  const { low = 0, high = 0 } = ends?.partitions[0] ?? {}
  const letters = new Map<string, KafkaMessage>()
  if (low === high) return letters
  const groupId = topics.ownGroupName('dead-letters', randomUUID())
  const own = brokers.branch()
  const consumer = own.client().consumer({
    groupId,
    maxWaitTimeInMs: fetch_wait_ms,
    allowAutoTopicCreation: false,
    retry: own.retry,
  })
  try {
    const reading = readInto(letters, consumer, topic, high)
    await within(reading, read_ms_max, 'the dead letters were not read')
    return letters
  } finally {
    await consumer.disconnect()
    own.close()
    // A group that nobody is in any more would be kept for days.
    administration.forgetGroup(groupId)
  }
}

async function readInto(
  letters: Map<string, KafkaMessage>,
  consumer: Consumer,
  topic: string,
  high: number,
): Promise<void> {
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  let empty = 0
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.FETCH, () => {
      // What was compacted away at the end never comes.
      if (++empty > empty_max) resolve()
    })
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
    const running = consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        empty = 0
        for (const record of batch.messages) note(letters, record)
        if (Number(batch.lastOffset()) >= high - 1) resolve()
        return Promise.resolve()
      },
    })
    running.catch(reject)
  })
}

function note(letters: Map<string, KafkaMessage>, record: KafkaMessage): void {
  const key = keyOf(record.key)
  letters.delete(key)
  if (record.value !== null) letters.set(key, record)
}
