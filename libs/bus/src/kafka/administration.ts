/**
 * Requests to the brokers that a caller waits for: they succeed within some seconds or fail as an
 * outage, and a connection that has failed is not used again.
 */
import { type Logger, Outage } from '@causeway/process'
import type { Admin, RetryOptions } from 'kafkajs'
import type { Brokers } from './brokers.ts'
import { within } from './deadline.ts'

/** A topic and what is asked of its partitions. */
export interface OfPartitions<Answer> {
  readonly topic: string
  readonly partitions: readonly Answer[]
}

export interface Ends {
  readonly partition: number
  /** The offset of the oldest message that is retained. */
  readonly low: number
  /** The offset of the next message. */
  readonly high: number
}

export interface OffsetOf {
  readonly partition: number
  readonly offset: number
}

/** Topics and groups have their names at the brokers here. */
export interface Administration {
  ask<T>(question: (admin: Admin) => Promise<T>): Promise<T>
  ends(topics: readonly string[]): Promise<readonly OfPartitions<Ends>[]>
  /**
   * The first offsets with a timestamp at that moment or later; the next offsets where there are none.
   */
  offsetsAt(topics: readonly string[], at_ms: number): Promise<readonly OfPartitions<OffsetOf>[]>
  /** What the group has committed; below 0 where it has nothing. */
  committed(group: string, topics: readonly string[]): Promise<readonly OfPartitions<OffsetOf>[]>
  forgetGroup(group: string): void
  stop(): Promise<void>
}

const retry: RetryOptions = { initialRetryTime: 50, maxRetryTime: 500, retries: 4 }
const answer_ms_max = 5_000

export function openAdministration(brokers: Brokers, log: Logger): Administration {
  let connecting: Promise<Admin> | undefined
  let stopped = false

  async function connect(): Promise<Admin> {
    const admin = brokers.client(retry).admin({ retry })
    await admin.connect()
    return admin
  }

  async function ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    if (stopped) throw new Outage('the bus is closed')
    const current = (connecting ??= connect())
    try {
      return await within(current.then(question), answer_ms_max, 'Kafka did not answer')
    } catch (error) {
      if (connecting === current) connecting = undefined
      current.then((admin) => admin.disconnect()).catch(() => undefined)
      throw new Outage('Kafka did not answer', { cause: error })
    }
  }

  return {
    ask,
    ends: (topics) =>
      ask((admin) =>
        each(topics, async (topic) =>
          (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
            partition,
            low: Number(low),
            high: Number(high),
          })),
        ),
      ),
    offsetsAt: (topics, at_ms) =>
      ask((admin) =>
        each(topics, async (topic) =>
          numbered(await admin.fetchTopicOffsetsByTimestamp(topic, at_ms)),
        ),
      ),
    committed: (groupId, topics) =>
      ask(async (admin) => {
        const found = await admin.fetchOffsets({ groupId, topics: [...topics] })
        return found.map(({ topic, partitions }) => ({ topic, partitions: numbered(partitions) }))
      }),
    forgetGroup(group) {
      const forgetting = ask((admin) => admin.deleteGroups([group]))
      forgetting.catch((error: unknown) => log.debug({ err: error, group }, 'group not removed'))
    },
    async stop() {
      stopped = true
      const admin = await connecting?.catch(() => undefined)
      await admin?.disconnect()
    },
  }
}

function each<Answer>(
  topics: readonly string[],
  question: (topic: string) => Promise<readonly Answer[]>,
): Promise<readonly OfPartitions<Answer>[]> {
  return Promise.all(topics.map(async (topic) => ({ topic, partitions: await question(topic) })))
}

function numbered(
  partitions: readonly { readonly partition: number; readonly offset: string }[],
): readonly OffsetOf[] {
  return partitions.map(({ partition, offset }) => ({ partition, offset: Number(offset) }))
}
