/** The event bus of services in processes of their own. */
export { type Brokers, type BrokersOptions, openBrokers } from './kafka/brokers.ts'
export { openDatabases } from './kafka/databases.ts'
export { type KafkaBus, type KafkaBusOptions, openKafkaBus } from './kafka/open.ts'
export { makeOutbox } from './kafka/outbox/outbox-store.ts'
export { type TopicAccess, grant } from './kafka/rights.ts'
export { ensureTopics } from './kafka/topics.ts'
