/** What a process of the hub takes for its access to the brokers: clients as kafkajs makes them. */
import type { Brokers } from '@causeway/bus/kafka'
import type { ITopicConfig, Kafka, ProducerBatch } from 'kafkajs'
import type { Cluster } from './cluster.ts'
import { SimulatedConsumer, type ConsumerOptions } from './consumer.ts'
import type { UnloggedRecord } from './log.ts'

export function openSimulatedBrokers(cluster: Cluster): Brokers {
  return openBranch(cluster, () => true)
}

function openBranch(cluster: Cluster, isStemOpen: () => boolean): Brokers {
  let isClosed = false
  const isOpen = () => !isClosed && isStemOpen()
  const kafka = {
    producer: () => producerOf(cluster, isOpen),
    consumer: (options: ConsumerOptions) => new SimulatedConsumer(cluster, options, isOpen),
    admin: () => adminOf(cluster, isOpen),
  } as unknown as Kafka
  return {
    client: () => kafka,
    retry: {},
    silent_ms: () => cluster.silent_ms(),
    branch: () => openBranch(cluster, isOpen),
    cut: () => undefined,
    close() {
      isClosed = true
    },
  }
}

function producerOf(cluster: Cluster, isOpen: () => boolean) {
  return {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    async sendBatch({ topicMessages = [] }: ProducerBatch) {
      const records = topicMessages.flatMap(({ topic, messages }) =>
        messages.map(({ key = null, value, headers = {}, partition = 0 }) => ({
          topic,
          partition,
          sent: {
            key: bytesOf(key),
            value: bytesOf(value),
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, header]) => [name, bytesOf(header as string)]),
            ) as UnloggedRecord['headers'],
          },
        })),
      )
      await cluster.send(isOpen, records)
      return records.map(({ topic, partition }) => ({ topicName: topic, partition }))
    },
  }
}

function bytesOf(value: string | Buffer | null): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value) : value
}

function adminOf(cluster: Cluster, isOpen: () => boolean) {
  const ask = <T>(answer: () => T) => cluster.ask(isOpen, answer)
  return {
    connect: () => ask(() => undefined),
    disconnect: () => Promise.resolve(),
    describeCluster: () => ask(() => ({ brokers: [] })),
    listTopics: () => ask(() => [...cluster.topics()]),
    createTopics: ({ topics }: { topics: ITopicConfig[] }) =>
      ask(() => {
        for (const { topic, numPartitions = 1 } of topics) cluster.create(topic, numPartitions)
      }),
    fetchTopicMetadata: ({ topics }: { topics: string[] }) =>
      ask(() => ({
        topics: topics.map((name) => ({
          name,
          partitions: cluster.partitions(name).map(({ number }) => ({ partitionId: number })),
        })),
      })),
    fetchTopicOffsets: (topic: string) =>
      ask(() =>
        cluster.partitions(topic).map(({ number, low, high }) => ({
          partition: number,
          offset: String(high),
          low: String(low),
          high: String(high),
        })),
      ),
    fetchTopicOffsetsByTimestamp: (topic: string, at_ms: number) =>
      ask(() =>
        cluster.partitions(topic).map((partition) => ({
          partition: partition.number,
          offset: String(partition.offsetAt(at_ms)),
        })),
      ),
    fetchOffsets: ({ groupId, topics = [] }: { groupId: string; topics?: string[] }) =>
      ask(() =>
        topics.map((topic) => ({
          topic,
          partitions: cluster.partitions(topic).map(({ number }) => ({
            partition: number,
            offset: String(cluster.committed(groupId, topic, number) ?? -1),
          })),
        })),
      ),
    deleteGroups: (ids: string[]) => ask(() => ids.forEach((id) => cluster.forget(id))),
  }
}
