/** What all parts of this service use. */
import type { EventBus } from '@causeway/bus'
import type { GrpcHost } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { Logger, Periodic, Service } from '@causeway/process'
import { periodically, stopAll } from '@causeway/process'
import type { AuthBounds } from './bounds.ts'
import type { AuthMeasures } from './measures.ts'
import type { AuthServiceSettings } from './settings.ts'

export interface OwnParts {
  readonly settings: AuthServiceSettings
  readonly bounds: AuthBounds
  readonly db: Database
  /** Signs the audit entries of this service. */
  readonly bus: EventBus
  readonly grpc: GrpcHost
  readonly measures: AuthMeasures
  readonly log: Logger
}

export const hour_ms = 3_600_000
export const day_ms = 24 * hour_ms

/** Every hour. `before` is the moment that is so long ago. */
export function deleteOld(
  log: Logger,
  what: string,
  work: (before: (ago_ms: number) => Date) => Promise<void>,
): Periodic {
  const run = () => {
    const now_ms = Date.now()
    return work((ago_ms) => new Date(now_ms - ago_ms))
  }
  return periodically(hour_ms, run, { log, name: `deletion of ${what}` })
}

/** One service of all of them: they stop in reverse, each also when another one fails to. */
export function together(log: Logger, parts: readonly { stop(): Promise<void> | void }[]): Service {
  return { stop: () => stopAll(parts, log) }
}
