/** Bus and databases of a process: of the hub in one process, or of one of its replicas over Kafka. */
import type { EventBus } from '@causeway/bus'
import { openEmbeddedBus } from '@causeway/bus/embedded'
import { openDatabases, openKafkaBus } from '@causeway/bus/kafka'
import { topics } from '@causeway/events'
import { openDatabase, openExclusive } from '@causeway/postgres'
import type { Logger, Metrics } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import { aloneInMemory, nothingShared } from '@causeway/runtime/testing'
import { openSimulatedBrokers } from '../kafka/brokers.ts'
import type { Cluster } from '../kafka/cluster.ts'
import type { Connection } from '../sql/connection.ts'

export interface EngineParts {
  readonly log: Logger
  readonly metrics: Metrics
  readonly connect: () => Connection
  /** Undefined: the hub is one process, and needs no brokers. */
  readonly cluster: Cluster | undefined
}

export interface Engine extends Pick<ProcessParts, 'shared' | 'openDatabase' | 'openExclusive'> {
  readonly bus: EventBus
  stop(): Promise<void>
  /** Like a kill. */
  crash(): void
}

/** The database is the same for all; the simulated connections ask for no name. */
const url = 'postgres://simulation@localhost/simulation?sslmode=disable'

/** The members of a group count as dead after this silence, which the longest freeze exceeds. */
const session_ms = 5_000
/** A message that a process publishes is in the log within this time, or has failed. */
export const publish_ms_max = 5_000

export function openEngine(parts: EngineParts): Promise<Engine> {
  const { cluster } = parts
  return cluster === undefined ? openEmbedded(parts) : openReplica(parts, cluster)
}

async function openEmbedded({ log, metrics, connect: stream }: EngineParts): Promise<Engine> {
  const engine = await openEmbeddedBus({
    log,
    metrics,
    openDatabase: (options, of) => openDatabase({ ...options, url, stream }, { outbox: of, log }),
  })
  const { bus, outbox } = engine
  return {
    bus,
    shared: aloneInMemory,
    openDatabase: (options) => openDatabase({ ...options, url, stream }, { outbox, log }),
    openExclusive: (options) => openExclusive({ ...options, url, stream }, { outbox, log }),
    stop: () => engine.stop(),
    crash: () => engine.crash(),
  }
}

async function openReplica(
  { log, metrics, connect: stream }: EngineParts,
  cluster: Cluster,
): Promise<Engine> {
  const brokers = openSimulatedBrokers(cluster)
  const kafka = await openKafkaBus({
    brokers,
    topics: {
      prefix: '',
      processName: 'hub',
      services: ['hub'],
      catalogue: topics,
      partitions: 4,
      replicas: 1,
      minInsync: 1,
      retention_h: 1,
    },
    compression: 'none',
    publish_ms_max,
    session_ms,
    log,
    metrics,
  })
  const databases = openDatabases({ url, kafka, log })
  return {
    bus: kafka.bus,
    shared: nothingShared,
    openDatabase: (options) => databases.openDatabase({ ...options, url, stream }),
    openExclusive: (options) => databases.openExclusive({ ...options, url, stream }),
    async stop() {
      await kafka.stop()
      await databases.close()
    },
    crash: () => brokers.close(),
  }
}
