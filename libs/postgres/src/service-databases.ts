/**
 * The databases of a process that runs every service: one PostgreSQL database with a schema per service.
 * All of them are closed together, in order or at once.
 */
import { type Logger, StartError, ProcessStopping } from '@causeway/process'
import type { Database, Outbox } from './database.ts'
import { openExclusive, type ExclusiveDatabase, type ExclusiveOptions } from './exclusive.ts'
import { socketPort } from './hub-lock.ts'
import { openDatabase, type DatabaseOptions } from './open.ts'
import { provisionSchema, type SharedTable } from './roles/provision.ts'

export interface ServiceDatabases {
  /** For a service: its announcements go to the outbox. */
  openDatabase(options: DatabaseOptions, outbox: Outbox): Promise<Database>
  openExclusive(options: ExclusiveOptions, outbox: Outbox): Promise<ExclusiveDatabase>
  /**
   * Open databases are closed when they are idle. Callers that wait for a lock stop waiting, and
   * nothing is opened any more: both reject with a `ProcessStopping`.
   */
  close(): Promise<void>
}

export interface ServiceDatabasesOptions {
  readonly socketFolder: string
  readonly database: string
  /** Omitted where nothing is announced. */
  readonly shared?: SharedTable
  /** Whether another role than the one that serves owns and migrates each schema. */
  readonly ownersApart?: boolean | undefined
  readonly log: Logger
}

export function socketUrl(socketFolder: string, database: string, user: string): string {
  return `postgres://${user}@localhost:${socketPort}/${database}?host=${encodeURIComponent(socketFolder)}&sslmode=disable`
}

export function serviceDatabases(parts: ServiceDatabasesOptions): ServiceDatabases {
  const { socketFolder, database, shared, ownersApart, log } = parts
  const provisioned = new Map<string, Promise<void>>()
  const opened = new Set<Database>()
  const closing = new AbortController()

  /** Creates the schema of a service and returns its options with the URL. */
  async function prepared<Options extends DatabaseOptions>(options: Options): Promise<Options> {
    const { schema } = options
    const url = socketUrl(socketFolder, database, schema)
    requireSame(options, url)
    const owner = ownersApart === true ? `${schema}_owner` : undefined
    const provisioning =
      provisioned.get(schema) ?? provisionSchema(socketFolder, database, schema, { shared, owner })
    provisioned.set(schema, provisioning)
    try {
      await provisioning
    } catch (error) {
      provisioned.delete(schema)
      throw error
    }
    const migrationUrl = owner && socketUrl(socketFolder, database, owner)
    return { ...options, url, migrationUrl }
  }

  async function noted<Kind extends Database>(db: Kind): Promise<Kind> {
    if (closing.signal.aborted) {
      await db.close()
      throw closing.signal.reason
    }
    opened.add(db)
    const close = async () => {
      if (opened.delete(db)) await db.close()
    }
    return { ...db, close }
  }

  /** The database may be gone by now; a failure is expected then. */
  async function whileOpen<Kind>(opening: () => Promise<Kind>): Promise<Kind> {
    closing.signal.throwIfAborted()
    try {
      return await opening()
    } catch (error) {
      closing.signal.throwIfAborted()
      throw error
    }
  }

  return {
    openDatabase: (options, outbox) =>
      whileOpen(async () => noted(await openDatabase(await prepared(options), { outbox, log }))),
    openExclusive: (options, outbox) =>
      whileOpen(async () => {
        const signal =
          options.signal === undefined
            ? closing.signal
            : AbortSignal.any([options.signal, closing.signal])
        return noted(await openExclusive({ ...(await prepared(options)), signal }, { outbox, log }))
      }),
    async close() {
      closing.abort(new ProcessStopping())
      const all = [...opened]
      opened.clear()
      await Promise.all(all.map((db) => db.close()))
    },
  }
}

function requireSame({ url, schema }: DatabaseOptions, embedded: string): void {
  if (url === '' || sameDatabase(url, embedded)) return
  throw new StartError(
    `The database URL of ${schema} names another database: in one process all services share the embedded one.`,
  )
}

function sameDatabase(one: string, other: string): boolean {
  return URL.canParse(one) && placeOf(one) === placeOf(other)
}

function placeOf(url: string): string {
  const { pathname, searchParams, host } = new URL(url)
  return `${searchParams.get('host') ?? host}${pathname}`
}
