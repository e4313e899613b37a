/**
 * The databases of a process whose bus is Kafka: one for each service, at any address, with an outbox in
 * its schema and one pump for it. All of them are closed together.
 */
import {
  type Database,
  openExclusive,
  type ExclusiveDatabase,
  type ExclusiveOptions,
  openDatabase,
  openPool,
  type DatabaseOptions,
} from '@causeway/postgres'
import { type Logger, StartError, ProcessStopping } from '@causeway/process'
import type { KafkaBus } from './open.ts'
import { makeOutbox } from './outbox/outbox-store.ts'
import type { Pump } from './outbox/outbox.ts'

export interface Databases {
  openDatabase(options: DatabaseOptions): Promise<Database>
  openExclusive(options: ExclusiveOptions): Promise<ExclusiveDatabase>
  /** Rejects when a database does not answer. */
  answer(): Promise<void>
  /**
   * Callers that still wait for a lock stop waiting; open databases are closed when they are idle.
   */
  close(): Promise<void>
}

export interface DatabasesOptions {
  /** DATABASE_URL, for services without a URL of their own; '' when every service needs one. */
  readonly url: string
  readonly kafka: Pick<KafkaBus, 'pump'>
  readonly log: Logger
}

/** One for sending, one for the outcomes of transactions. */
const pump_connections = 2

export function openDatabases({ url: url_default, kafka, log }: DatabasesOptions): Databases {
  const pumps = new Map<string, Promise<Pump>>()
  const opened = new Set<Database>()
  const closing = new AbortController()

  /** The options of a service with its URL. */
  function placed<Options extends DatabaseOptions>(options: Options): Options {
    const url = options.url === '' ? url_default : options.url
    if (url !== '') return { ...options, url }
    const name = `${options.schema.toUpperCase()}_DATABASE_URL`
    throw new StartError(`${options.schema} needs a database: set ${name} or DATABASE_URL.`)
  }

  /** A schema belongs to one service in one database, over any number of connections. */
  function pumpFor(options: DatabaseOptions): Promise<Pump> {
    const { schema } = options
    const known = pumps.get(schema)
    if (known !== undefined) return known
    const making = makePump(options)
    pumps.set(schema, making)
    making.catch(() => pumps.delete(schema))
    return making
  }

  async function makePump({ url, schema, stream }: DatabaseOptions): Promise<Pump> {
    const connection = { url, schema, stream, applicationName: `${schema} outbox` }
    await makeOutbox(connection)
    const outbox = { write: () => Promise.reject(new Error('a pump announces nothing')) }
    const db = openPool({ ...connection, connections_max: pump_connections, outbox, log })
    return kafka.pump(db, schema)
  }

  function noted<Kind extends Database>(db: Kind): Kind {
    opened.add(db)
    const close = async () => {
      if (opened.delete(db)) await db.close()
    }
    return { ...db, close }
  }

  return {
    async openDatabase(options) {
      const own = placed(options)
      const { outbox } = await pumpFor(own)
      return noted(await openDatabase(own, { outbox, log }))
    },
    async openExclusive(options) {
      const own = placed(options)
      const { outbox } = await pumpFor(own)
      const signal =
        options.signal === undefined
          ? closing.signal
          : AbortSignal.any([options.signal, closing.signal])
      return noted(await openExclusive({ ...own, signal }, { outbox, log }))
    },
    async answer() {
      const all = await Promise.all(pumps.values())
      await Promise.all(all.map((pump) => pump.answers()))
    },
    async close() {
      closing.abort(new ProcessStopping())
      const all = [...opened]
      opened.clear()
      await Promise.all(all.map((db) => db.close()))
    },
  }
}
