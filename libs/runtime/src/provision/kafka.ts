/**
 * Creates the topics at the brokers and the rights of a user for each process. The users themselves are
 * certificates or logins that the operator of the brokers issues under the names of the processes. It may
 * be run again at any time.
 */
import type { TopicAccess } from '@causeway/bus/kafka'
import { type Logger, exitCodes, run, StartError } from '@causeway/process'
import { busOptionsOf } from '../distributed.ts'
import { distributedSettings, type DistributedSettings } from '../distributed-settings.ts'

export interface KafkaProvision {
  /** Every topic of the catalogue of events. */
  readonly topics: readonly string[]
  readonly access: readonly TopicAccess[]
}

const settings = Object.fromEntries(
  Object.entries(distributedSettings).filter(([name]) => name.startsWith('KAFKA_')),
) as Pick<typeof distributedSettings, Extract<keyof typeof distributedSettings, `KAFKA_${string}`>>

const retry = { initialRetryTime: 100, maxRetryTime: 2_000, retries: 16 }

/** The main function of a process that provisions the brokers and ends. */
export async function runKafkaProvision(provision: KafkaProvision): Promise<void> {
  await run('provision-kafka', settings, async (values, log) => {
    await provisionKafka(values as unknown as DistributedSettings, provision, log)
    return { stop: () => Promise.resolve() }
  })
  process.exit(exitCodes.stopped)
}

export async function provisionKafka(
  values: DistributedSettings,
  { topics, access }: KafkaProvision,
  log: Logger,
): Promise<void> {
  const { ensureTopics, grant, openBrokers } = await import('@causeway/bus/kafka')
  const services = [...new Set(access.flatMap((each) => each.services))]
  const provision = { name: 'provision', services, settings: values, topics, log }
  const options = await busOptionsOf(provision)
  const brokers = openBrokers(options.brokers)
  const admin = brokers.client(retry).admin({ retry })
  try {
    await admin.connect()
    await ensureTopics(admin, options.topics)
    log.info({ topics: topics.length }, 'the topics exist')
    await grant(admin, access, options.topics)
    log.info({ users: access.length }, 'the processes have their rights')
    await admin.disconnect()
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`Kafka refused the request: ${(error as Error).message}.`)
  } finally {
    brokers.close()
  }
}
