/**
 * The process that holds every service: it brings its own PostgreSQL and needs nothing else. What it
 * has said it keeps, whatever kills it; the next start on the same DATA_DIR goes on from there.
 */
import { openParts, type EmbeddedParts } from './embedded-parts.ts'
import type { Logger } from './log.ts'
import { startServer, type Durability } from './postgres/server.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly durability: Durability
  /** Deletes the database first. */
  readonly fresh?: boolean
  readonly log: Logger
  /** LOG_RETENTION_H: finished events are kept this long (24). */
  readonly retention_h?: number
  /** PostgreSQL is gone though nobody stopped it: say the reason and end the process. */
  readonly onExit: (reason: string) => void
}

const database = 'causeway'
const retention_h_default = 24

/** Throws StartError with one sentence for everything that a person can put right. */
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
