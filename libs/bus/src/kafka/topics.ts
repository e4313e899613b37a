/**
 * The topics of the catalogue are created by the process that starts first, and the partition of a key
 * is decided here: the same in every process, by the hash of the Java client.
 */
import { StartError } from '@causeway/process'
import kafkajs, { type Admin, type ITopicConfig, type PartitionMetadata } from 'kafkajs'
import { isGroupOf } from '../group-names.ts'
import { message_bytes_max } from '../message-size.ts'

export interface TopicsOptions {
  /** Prefix of every topic and group, so that several hubs can share brokers; '' for none. */
  readonly prefix: string
  /** Its own groups begin with this name of the process. */
  readonly processName: string
  /** The services of this process: they have topics of dead letters. */
  readonly services: readonly string[]
  /** Their names in the catalogue. */
  readonly catalogue: readonly string[]
  readonly partitions: number
  readonly replicas: number
  readonly minInsync: number
  /** How long a message is retained, whether it was read or not. */
  readonly retention_h: number
}

export interface Topics {
  /** Of each service of this process. */
  readonly own: readonly OwnTopics[]
  /** Of the service of that group; throws for a group of another process. */
  ownOf(group: string): OwnTopics
  /** The name of a topic at the brokers; throws for one that is not in the catalogue. */
  nameOf(topic: string): string
  /** The topic of the catalogue behind a name at the brokers. */
  plainName(name: string): string
  groupName(group: string): string
  /** Name of a group of this process alone: it begins with the name of the process. */
  ownGroupName(what: string, id: string): string
  /** Throws for a topic that is not in the catalogue. */
  partitionOf(topic: string, key: string): number
}

/** What only one service writes and reads. */
export interface OwnTopics {
  /** Compacted: a dead letter stays until it was replayed and finished. */
  readonly deadLetters: string
  /** Dead letters that are delivered to their group again. */
  readonly replays: string
}

export function ownTopics(service: string): OwnTopics {
  return { deadLetters: `dead-letters.${service}`, replays: `replays.${service}` }
}

const hour_ms = 3_600_000
const exists = 'TOPIC_ALREADY_EXISTS'
/** The errors of busy brokers for a moment after a topic was created. */
const notYetKnown = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'])
const partition = kafkajs.Partitioners.DefaultPartitioner()

/**
 * Creates missing topics; existing ones keep their partitions. Throws a StartError when the brokers refuse
 * a topic for good; other errors pass.
 */
export async function ensureTopics(admin: Admin, options: TopicsOptions): Promise<Topics> {
  const wanted = topicConfigs(options)
  const there = new Set(await admin.listTopics())
  const missing = wanted.filter(({ topic }) => !there.has(topic))
  if (missing.length > 0) await create(admin, missing)
  const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) })
  const byTopic = new Map(topics.map(({ name, partitions }) => [name, partitions]))
  return topicsOf(options, byTopic)
}

async function create(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  try {
    await admin.createTopics({ topics, waitForLeaders: true })
  } catch (error) {
    const { errors = [error] } = error as { readonly errors?: readonly unknown[] }
    const other = errors.find((each) => (each as { readonly type?: unknown }).type !== exists)
    if (other === undefined) return
    const {
      message = 'refused',
      topic,
      type = '',
    } = other as {
      readonly message?: string
      readonly topic?: string
      readonly type?: string
    }
    if (other instanceof Error && notYetKnown.has(type)) throw other
    throw new StartError(
      `Kafka does not create the topic ${topic ?? topics.map((each) => each.topic).join()}: ${message}.`,
    )
  }
}

function topicConfigs(options: TopicsOptions): ITopicConfig[] {
  const { prefix, services, catalogue } = options
  const { partitions, replicas, minInsync, retention_h } = options
  const common = {
    'min.insync.replicas': minInsync,
    // The low watermark is computed from the times at which the log appended messages.
    'message.timestamp.type': 'LogAppendTime',
    // A batch may be one message of that size, with its overhead.
    'max.message.bytes': message_bytes_max + 2 ** 20,
  }
  const topic = (name: string, numPartitions: number, more: Record<string, string | number>) => ({
    topic: `${prefix}${name}`,
    numPartitions,
    replicationFactor: replicas,
    configEntries: Object.entries({ ...common, ...more }).map(([key, value]) => ({
      name: key,
      value: String(value),
    })),
  })
  return [
    ...catalogue.map((name) => topic(name, partitions, { 'retention.ms': retention_h * hour_ms })),
    ...services.map(ownTopics).flatMap(({ deadLetters, replays }) => [
      topic(replays, 1, { 'retention.ms': retention_h * hour_ms }),
      topic(deadLetters, 1, {
        'cleanup.policy': 'compact',
        'segment.ms': hour_ms,
        'min.cleanable.dirty.ratio': 0.1,
        'delete.retention.ms': hour_ms,
      }),
    ]),
  ]
}

/** Prefix of groups that belong to one process of that name. */
export function ownGroups(prefix: string, processName: string): string {
  return `${prefix}${processName.replaceAll('-', '_')}.`
}

function topicsOf(
  { prefix, processName, services, catalogue }: TopicsOptions,
  byTopic: ReadonlyMap<string, PartitionMetadata[]>,
): Topics {
  const own = services.map(ownTopics)
  const plain = [...catalogue, ...own.flatMap(({ deadLetters, replays }) => [deadLetters, replays])]
  const known = new Map(plain.map((topic) => [topic, byTopic.get(`${prefix}${topic}`) ?? []]))

  function partitionsOf(topic: string): PartitionMetadata[] {
    const found = known.get(topic)
    if (found === undefined) throw new Error(`the topic ${topic} is not in the catalogue`)
    return found
  }

  return {
    own,
    ownOf(group) {
      const service =
        services.length === 1 ? services[0] : services.find((one) => isGroupOf(one, group))
      if (service === undefined)
        throw new Error(`no service of this process has the group ${group}`)
      return ownTopics(service)
    },
    nameOf(topic) {
      partitionsOf(topic)
      return `${prefix}${topic}`
    },
    plainName: (name) => name.slice(prefix.length),
    groupName: (group) => `${prefix}${group}`,
    ownGroupName: (what, id) => `${ownGroups(prefix, processName)}${what}.${id}`,
    partitionOf: (topic, key) =>
      partition({
        topic,
        partitionMetadata: partitionsOf(topic),
        message: { key: key === '' ? null : key, value: null },
      }),
  }
}
