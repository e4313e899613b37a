/**
 * Creates the topics at the brokers and the rights of a user for each service. The users themselves are
 * certificates or logins that the operator of the brokers issues under the names of the services. It may
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
  const options = await busOptionsOf({ name: 'provision', settings: values, topics, log })
  const brokers = openBrokers(options.brokers)
  const admin = brokers.client(retry).admin({ retry })
  try {
    await admin.connect()
    const services = access.map(({ service }) => service)
    await ensureTopics(admin, { ...options.topics, services })
    log.info({ topics: topics.length }, 'the topics exist')
    await grant(admin, access, options.topics)
    log.info({ services: access.length }, 'the services have their rights')
    await admin.disconnect()
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`Kafka refused the request: ${(error as Error).message}.`)
  } finally {
    brokers.close()
  }
}
