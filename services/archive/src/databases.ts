/**
 * The databases that archive and restore work on: those that the environment names, or else that of
 * DATA_DIR, whether its hub runs or not. One command at a time works on a database.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { livePostmaster, prepareDataFolder, startServer } from '@causeway/embedded-postgres'
import { superuser, socketUrl } from '@causeway/postgres'
import { openLog, StartError } from '@causeway/process'
import pg from 'pg'
import type { Client } from 'pg'
import type { Environment } from './environment.ts'
import { monthTables, type MonthTable } from './catalogue.ts'

export interface OpenedDatabase {
  readonly client: Client
  readonly tables: readonly MonthTable[]
}

const urlName = /^([A-Z][A-Z0-9_]*_)?DATABASE_URL$/
const database = 'causeway'
const lock = `hashtextextended('causeway archive', 0)`
/** Makes the files independent of the settings of the database. */
const session = '-c timezone=UTC -c datestyle=ISO -c bytea_output=hex -c extra_float_digits=1'

/** Opens all, does the work, closes them. Throws StartError for errors that an operator can repair. */
export async function withDatabases<T>(
  environment: Environment,
  work: (databases: readonly OpenedDatabase[]) => Promise<T>,
): Promise<T> {
  const urls = urlsIn(environment)
  if (urls.length > 0) return withUrls(urls, work)
  const dataDir = resolve(environment['DATA_DIR'] ?? '.data')
  if (!existsSync(dataDir)) {
    throw new StartError(
      `There is no DATA_DIR ${dataDir}: set DATA_DIR, or TRANSFERS_DATABASE_URL and its like.`,
    )
  }
  const running = livePostmaster(prepareDataFolder(dataDir))
  if (running !== undefined) {
    return withUrls([socketUrl(running.socketFolder, database, superuser)], work)
  }
  const log = openLog({ name: 'archive', level: 'silent' })
  const onExit = () => {
    // The query in progress rejects.
  }
  const server = await startServer({ dataDir, durability: 'fsync', log, onExit })
  try {
    return await withUrls([socketUrl(server.socketFolder, database, superuser)], work)
  } finally {
    await server.stop()
  }
}

function urlsIn(environment: Environment): readonly string[] {
  const urls = Object.entries(environment).flatMap(([name, url]) => {
    if (!urlName.test(name) || name.startsWith('PROVISION_')) return []
    if (url === undefined || url === '') return []
    if (!URL.canParse(url)) throw new StartError(`${name} is not a URL.`)
    return [url]
  })
  return [...new Set(urls)]
}

async function withUrls<T>(
  urls: readonly string[],
  work: (databases: readonly OpenedDatabase[]) => Promise<T>,
): Promise<T> {
  const opened: OpenedDatabase[] = []
  const clients: Client[] = []
  try {
    for (const url of urls) {
      const client = clientOf(url)
      clients.push(client)
      await client.connect()
      opened.push({ client, tables: await monthTables(client) })
    }
    await Promise.all(opened.filter(({ tables }) => tables.length > 0).map(takeTurn))
    return await work(opened)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

function clientOf(url: string): Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'causeway archive',
    options: session,
    statement_timeout: 0,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => {
    // The query in progress rejects with the same error.
  })
  return client
}

/** One lock for each schema, since services may share a database. */
async function takeTurn({ client, tables }: OpenedDatabase): Promise<void> {
  for (const schema of new Set(tables.map((table) => table.schema))) {
    const { rows } = await client.query<{ given: boolean }>(
      `select pg_try_advisory_lock(${lock} # hashtextextended($1, 0)) as given`,
      [schema],
    )
    if (rows[0]?.given === true) continue
    throw new StartError(`Another archive or restore is running on ${schema}.`)
  }
}
