/**
 * One send to Kafka: it is acknowledged only when all in-sync replicas have all of it.
 *
 * kafkajs loses acknowledged messages when an idempotent producer sends twice at once or continues after
 * a rejected send, and when partitions change their leader between two attempts of one send. So there
 * is one send at a time, its partitions are decided once, its response is compared with what was sent,
 * and a producer of which anything was rejected is replaced.
 */
import { type Logger, Outage } from '@causeway/process'
import kafkajs, {
  type Message as KafkaOutgoing,
  type Producer as KafkaProducer,
  type TopicMessages,
} from 'kafkajs'
import type { Brokers } from '../brokers.ts'
import type { OutgoingRecord } from '../record.ts'
import type { Topics } from '../topics.ts'

export type Compression = 'none' | 'gzip'

export interface ProducerOptions {
  readonly brokers: Brokers
  readonly topics: Topics
  readonly compression: Compression
  readonly log: Logger
}

export interface Producer {
  /**
   * The records of one partition keep their order. Not to be called again before it has settled.
   * Takes as long as the brokers are away; rejects when some of it may be missing, mostly as an
   * outage.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>
  stop(): Promise<void>
}

interface Slot {
  readonly topic: string
  readonly partition: number
}

/** Errors that are caused by the messages. */
const isForGood = /TOO_LARGE|INVALID_RECORD|INVALID_TOPIC/
/** Errors of brokers that are not set up for this process. */
const isUninvited = /AUTHORIZATION|AUTHENTICATION/

export function openProducer({ brokers, topics, compression, log }: ProducerOptions): Producer {
  let producer: KafkaProducer | undefined

  return {
    async send(records) {
      const { topicMessages, slots } = sorted(records, topics)
      const current = (producer ??= newProducer(brokers))
      try {
        // Connecting has no effect when it is connected.
        await current.connect()
        const answers = await current.sendBatch({
          acks: -1,
          compression: compression === 'gzip' ? kafkajs.CompressionTypes.GZIP : 0,
          topicMessages,
        })
        const answered = new Set(
          answers.map(({ topicName, partition }) => `${topicName} ${partition}`),
        )
        const missing = slots.find(({ topic, partition }) => !answered.has(`${topic} ${partition}`))
        if (missing !== undefined) {
          throw new Error(`partition ${missing.partition} of ${missing.topic} was left out`)
        }
      } catch (error) {
        producer = undefined
        current.disconnect().catch(() => undefined)
        log.warn(
          { err: error, records: records.length },
          'a send failed: a new producer is started',
        )
        throw refusal(error)
      }
    },
    async stop() {
      await producer?.disconnect()
    },
  }
}

function newProducer(brokers: Brokers): KafkaProducer {
  return brokers.client().producer({
    idempotent: true,
    allowAutoTopicCreation: false,
    retry: brokers.retry,
    // The partition is decided before, so that it is the same at each attempt.
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition ?? 0,
  })
}

/** The records by topic, each with its partition; and the partitions that must be in the response. */
function sorted(records: readonly OutgoingRecord[], topics: Topics) {
  const byTopic = new Map<string, KafkaOutgoing[]>()
  const slots = new Map<string, Slot>()
  for (const { topic: plain, key, value, headers } of records) {
    const topic = topics.nameOf(plain)
    const partition = topics.partitionOf(plain, key)
    const name = `${topic} ${partition}`
    if (!slots.has(name)) slots.set(name, { topic, partition })
    const message = { key: key === '' ? null : key, value, headers, partition }
    const of = byTopic.get(topic)
    if (of === undefined) byTopic.set(topic, [message])
    else of.push(message)
  }
  const topicMessages: TopicMessages[] = [...byTopic].map(([topic, messages]) => ({
    topic,
    messages,
  }))
  return { topicMessages, slots: [...slots.values()] }
}

/** A final refusal of a broker is a bug; everything else is an outage. */
function refusal(error: unknown): Error {
  const kinds = [error, (error as { readonly cause?: unknown }).cause].map(kindOf)
  const kind = kinds.find((each) => isForGood.test(each))
  if (kind !== undefined) return new Error(`Kafka refuses the messages: ${kind}`, { cause: error })
  const uninvited = kinds.find((each) => isUninvited.test(each))
  if (uninvited !== undefined) {
    return new Outage(`Kafka refuses this process: ${uninvited}`, { cause: error, kind: 'REFUSED' })
  }
  return new Outage('Kafka did not acknowledge the messages', { cause: error })
}

function kindOf(error: unknown): string {
  const { type } = (error ?? {}) as { readonly type?: unknown }
  return typeof type === 'string' ? type : ''
}
