/**
 * One hub per DATA_DIR: the hub's process holds a session advisory lock of its PostgreSQL for life,
 * on a connection that names the process.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Client } from 'pg'
import { sqlState } from './failure.ts'

/** Sockets carry a port in their name; nothing listens on TCP. */
export const socketPort = 5432
export const superuser = 'postgres'

const lock = `hashtextextended('causeway hub', 0)`
const applicationName = 'causeway hub, process'
const connectRetry_ms = 10
const lockRetry_ms = 50

export type LockAnswer =
  | { readonly type: 'given'; readonly connection: Client }
  | { readonly type: 'held'; readonly process: string }
  | { readonly type: 'silent' }

export interface AskOptions {
  readonly socketFolder: string
  /** How long to try for the lock once the server responds. */
  readonly lock_ms: number
  /** How long the server may take until it responds. */
  readonly connect_ms: number
  /** Ends the wait for a response: the server is gone. */
  readonly gone: () => boolean
}

/**
 * Requests the lock of the server behind the socket; 'silent' if no server responds.
 */
export async function askForHubLock(options: AskOptions): Promise<LockAnswer> {
  const connection = await connect(options)
  if (connection === undefined) return { type: 'silent' }
  const deadline = Date.now() + options.lock_ms
  try {
    for (;;) {
      const { rows } = await connection.query<{ given: boolean }>(
        `select pg_try_advisory_lock(${lock}) as given`,
      )
      if (rows[0]?.given === true) return { type: 'given', connection }
      if (Date.now() > deadline) break
      await wait(lockRetry_ms)
    }
    const holder = await processOfHolder(connection)
    await connection.end()
    return { type: 'held', process: holder }
  } catch {
    await connection.end()
    return { type: 'silent' }
  }
}

/** A connection of the superuser through the socket folder. */
export function superuserClient(socketFolder: string, database: string, name: string): Client {
  const client = new pg.Client({
    host: socketFolder,
    port: socketPort,
    user: superuser,
    database,
    application_name: name,
    ssl: false,
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => {
    // Users of the connection notice by the query that fails or by the event `end`.
  })
  return client
}

/** Waits until the server accepts connections; a server that starts or ends refuses them for a while. */
async function connect(options: AskOptions): Promise<Client | undefined> {
  const deadline = Date.now() + options.connect_ms
  while (!options.gone() && Date.now() < deadline) {
    const name = `${applicationName} ${process.pid}`
    const client = superuserClient(options.socketFolder, 'postgres', name)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end()
      if (!isNotYet(error)) throw error
      await wait(connectRetry_ms)
    }
  }
  return undefined
}

function isNotYet(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  const noListener = code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ECONNRESET'
  return noListener || sqlState(error) !== undefined || code === undefined
}

async function processOfHolder(connection: Client): Promise<string> {
  const { rows } = await connection.query<{ application_name: string }>(
    `select a.application_name
       from pg_locks l
       join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted
        and l.classid = ((${lock} >> 32) & 4294967295)::oid
        and l.objid = (${lock} & 4294967295)::oid`,
  )
  return rows[0]?.application_name.replace(`${applicationName} `, '') ?? 'unknown'
}
