/**
 * The parts of a process that holds every service, on one database of the embedded PostgreSQL: the
 * services share the database, the embedded bus, one gRPC server on a socket beside PostgreSQL's,
 * health and metrics.
 */
import { join } from 'node:path'
import { openGrpcHost } from './grpc/host.ts'
import { openHealth, type HealthChecks } from './health.ts'
import type { Logger } from './log.ts'
import { openMetrics } from './metrics.ts'
import { pendingBus } from './pending-bus.ts'
import { asSuperuser, provisionDatabase } from './postgres/provision.ts'
import { serviceDatabases } from './postgres/service-databases.ts'
import type { ProcessParts } from './service.ts'

export interface EmbeddedParts extends ProcessParts {
  readonly health: HealthChecks
  /** After every service has stopped: lets go of everything in reverse order. */
  stop(): Promise<void>
}

export interface PartsOptions {
  readonly socketFolder: string
  readonly database: string
  /** Name of the gRPC socket in the socket folder. */
  readonly grpcSocket: string
  readonly log: Logger
  /** Whether the metrics of the process itself are counted. */
  readonly metricsOfProcess: boolean
}

export interface OpenParts extends EmbeddedParts {
  /** As if the process was killed: connections are cut, then what is left in memory is dropped. */
  crash(): Promise<void>
}

export async function openParts(options: PartsOptions): Promise<OpenParts> {
  const { socketFolder, database, log } = options
  await provisionDatabase(socketFolder, database)
  const databases = serviceDatabases({ socketFolder, database, log })
  const bus = await pendingBus(socketFolder, database)
  const grpc = await openGrpcHost({
    log,
    listen: `unix:${join(socketFolder, options.grpcSocket)}`,
  })
  const health = openHealth()
  health.ready('postgresql', () => answers(socketFolder, database))

  async function stop(): Promise<void> {
    await grpc.stop()
    await bus.stop()
    await databases.close()
  }

  return {
    log,
    bus,
    grpc,
    health,
    metrics: openMetrics({ ofProcess: options.metricsOfProcess }),
    openDatabase: (databaseOptions) => databases.openDatabase(databaseOptions, bus.outbox),
    openExclusive: (exclusiveOptions) => databases.openExclusive(exclusiveOptions, bus.outbox),
    stop,
    async crash() {
      const closed = databases.close()
      await cutConnections(socketFolder, database)
      await closed
      await stop()
    },
  }
}

function answers(socketFolder: string, database: string): Promise<void> {
  return asSuperuser(socketFolder, database, async (client) => {
    await client.query('select 1')
  })
}

/** Resolves when no backend of the database is left. */
async function cutConnections(socketFolder: string, database: string): Promise<void> {
  await asSuperuser(socketFolder, 'postgres', async (client) => {
    for (;;) {
      const { rowCount } = await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [database],
      )
      if (rowCount === 0) return
    }
  })
}
