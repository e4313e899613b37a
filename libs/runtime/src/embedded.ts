/**
 * The process that runs every service: it includes its own PostgreSQL and needs nothing else. Published
 * events survive any crash; the next start on the same DATA_DIR continues from there.
 */
import { startServer, type Durability } from '@causeway/embedded-postgres'
import type { Logger } from '@causeway/process'
import { openParts, type EmbeddedParts } from './embedded-parts.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly durability: Durability
  /** Deletes the database first. */
  readonly fresh?: boolean
  readonly log: Logger
  /** LOG_RETENTION_H: finished events are retained this long (24). */
  readonly retention_h?: number
  /** PostgreSQL has ended unexpectedly: reports the reason; the process should end. */
  readonly onExit: (reason: string) => void
}

const database = 'causeway'
const retention_h_default = 24

/** Throws StartError with one sentence for everything that an operator can repair. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedParts> {
  const server = await startServer(options)
  const { socketFolder } = server
  const grpcSocket = 'grpc.sock'
  try {
    const parts = await openParts({
      socketFolder,
      database,
      grpcSocket,
      log: options.log,
      metricsOfProcess: true,
      retention_h: options.retention_h ?? retention_h_default,
    })
    return {
      ...parts,
      async stop() {
        await parts.stop()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}
