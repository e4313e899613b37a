/**
 * How a service starts: a function from settings and the parts of its process to a service that can be
 * stopped. The same function runs alone in a process of its own and together with the others in the hub.
 */
import type { EventBus } from '@causeway/bus'
import type { GrpcHost } from '@causeway/grpc'
import type { Http } from '@causeway/http'
import type {
  DatabaseOptions,
  Database,
  ExclusiveDatabase,
  ExclusiveOptions,
} from '@causeway/postgres'
import type { Health, Logger, Metrics, Service } from '@causeway/process'
import type { Tracer } from '@causeway/tracing'
import type { ApprovalOwners } from './approval-owners.ts'
import type { SharedMemory } from './memory/shared-memory.ts'

/** The parts of a process that its services share. */
export interface ProcessParts {
  readonly log: Logger
  readonly bus: EventBus
  readonly grpc: GrpcHost
  /** Where a service adds its changes that two persons make. */
  readonly approvals: ApprovalOwners
  readonly http: Http
  readonly health: Health
  readonly metrics: Metrics
  /** The memory that the processes of this service share, and may lose. */
  readonly shared: SharedMemory
  /** Undefined: no traces are recorded. The bus and gRPC record by themselves. */
  readonly tracer?: Tracer
  /** Opens a service's own database, migrated, with its announcements going to the bus. */
  openDatabase(options: DatabaseOptions): Promise<Database>
  /**
   * One connection that holds a session advisory lock: a process that loses the lock loses the
   * transaction. Rejects with `ProcessStopping` when the parts have been stopped, as `openDatabase`
   * does.
   */
  openExclusive(options: ExclusiveOptions): Promise<ExclusiveDatabase>
}

/** `Kind` is what a running service exposes, such as the URL that it listens on. */
export type Start<Settings, Kind extends Service = Service> = (
  settings: Settings,
  parts: ProcessParts,
) => Promise<Kind>
