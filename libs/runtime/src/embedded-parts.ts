/**
 * The parts of a process that runs every service, on one database of the embedded PostgreSQL: the
 * services share the database, the embedded bus, one gRPC server on a socket next to PostgreSQL's,
 * health and metrics.
 */
import { join } from 'node:path'
import { openEmbeddedBus, sharedLog } from '@causeway/bus/embedded'
import { openGrpcHost } from '@causeway/grpc'
import { overNetwork } from '@causeway/http'
import { asSuperuser, provisionDatabase, serviceDatabases } from '@causeway/postgres'
import { openHealth, type HealthChecks, type Logger, openMetrics } from '@causeway/process'
import { serveApprovals } from './approval-owners.ts'
import { serveEventDeadLetters } from './event-dead-letters.ts'
import type { ProcessParts } from './process-parts.ts'
import { aloneInMemory } from './memory/shared-memory.ts'

export interface EmbeddedParts extends ProcessParts {
  readonly health: HealthChecks
  /** Milliseconds since events last made progress; undefined when there are none. */
  progress(): number | undefined
  /** After every service has stopped: closes everything in reverse order. */
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
  /** LOG_RETENTION_H */
  readonly retention_h: number
  /** Whether another role than the one that serves owns and migrates each schema. */
  readonly ownersApart?: boolean | undefined
}

export interface OpenParts extends EmbeddedParts {
  /** Like a kill of the process: connections are closed, state in memory is dropped. */
  crash(): Promise<void>
}

/** No backend of an earlier process may be left on the database. */
export async function openParts(options: PartsOptions): Promise<OpenParts> {
  const { socketFolder, database, log, retention_h, ownersApart } = options
  await provisionDatabase(socketFolder, database)
  const databases = serviceDatabases({
    socketFolder,
    database,
    shared: sharedLog,
    ownersApart,
    log,
  })
  const metrics = openMetrics({ ofProcess: options.metricsOfProcess })
  const engine = await openEmbeddedBus({
    openDatabase: (busOptions, outbox) => databases.openDatabase(busOptions, outbox),
    log,
    metrics,
    retention_h,
  })
  const listen = `unix:${join(socketFolder, options.grpcSocket)}`
  const grpc = await openGrpcHost({ log, listen }).catch(async (error: unknown) => {
    await engine.stop()
    throw error
  })
  serveEventDeadLetters(grpc, engine.bus)
  const approvals = serveApprovals(grpc)
  const health = openHealth()
  health.ready('postgresql', () => answers(socketFolder, database))
  health.ready('events', () => engine.answers())
  return {
    log,
    bus: engine.bus,
    grpc,
    approvals,
    http: overNetwork,
    health,
    metrics,
    shared: aloneInMemory,
    openDatabase: (databaseOptions) => databases.openDatabase(databaseOptions, engine.outbox),
    openExclusive: (exclusiveOptions) => databases.openExclusive(exclusiveOptions, engine.outbox),
    progress: () => engine.progress(),
    async stop() {
      await grpc.stop()
      await engine.stop()
      await databases.close()
    },
    async crash() {
      engine.crash()
      // Work that hangs never returns its connection; a killed process would not wait either.
      void databases.close()
      await cutConnections(socketFolder, database)
      await grpc.stop()
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
