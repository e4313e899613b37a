/**
 * The work of the hub's PostgreSQL as it counts it itself, and the content of the tables, read
 * through its socket as the superuser.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { postmasterOf } from '../hub/postgres.ts'

/** Counted since the database was created. */
export interface DatabaseUse {
  /** Statements of services, without BEGIN, COMMIT and ROLLBACK. */
  readonly sql_statements: number
  readonly commits: number
  /** Inserted or changed rows, without those of the event log. */
  readonly rows_written: number
  /** NaN where events do not pass through the database. */
  readonly events: number
  /** Tables and indexes on disk. */
  readonly bytes_stored: number
  readonly wal_bytes: number
  readonly wal_fsyncs: number
}

/** The content of the hub's tables at the end. */
export interface Holdings {
  /** Ledger entries of transfers that moved money at least once. */
  readonly reservations: number
  /** Of these, those that are neither posted nor voided. */
  readonly open_reservations: number
  readonly posted: number
  readonly committed_transfers: number
  readonly accepted_quotes: number
  /** Requests of quotes whose bytes are stored. */
  readonly kept_quotes: number
  /** Callbacks that are parked or abandoned. */
  readonly undelivered: number
  readonly dead_letters: number
}

export interface Guarantees {
  readonly fsync: boolean
  readonly synchronous_commit: boolean
}

export interface HubDatabase {
  use(): Promise<DatabaseUse>
  holdings(): Promise<Holdings>
  guarantees(): Promise<Guarantees>
  close(): Promise<void>
}

const port = 5432
const counting = 'pg_stat_statements'

/** PostgreSQL counts statements from its next start on, where the extension is available. */
export async function countStatements(dataDir: string): Promise<void> {
  const client = await connect(dataDir, 'postgres')
  const { rowCount } = await client.query('select from pg_available_extensions where name = $1', [
    counting,
  ])
  await client.end()
  if (rowCount !== 1) return
  appendFileSync(
    join(dataDir, 'pg', 'postgresql.conf'),
    `\nshared_preload_libraries = '${counting}'\n${counting}.max = 2000\n${counting}.save = off\n`,
  )
}

async function connect(dataDir: string, database: string): Promise<pg.Client> {
  const { socketFolder: host } = postmasterOf(dataDir)
  const client = new pg.Client({ host, port, user: 'postgres', database })
  client.on('error', () => {
    // The query that fails reports it.
  })
  await client.connect()
  return client
}

const selectUse = (events: string) => `
  select (select xact_commit from pg_stat_database where datname = current_database()) as commits,
         (select sum(n_tup_ins + n_tup_upd) from pg_stat_user_tables
           where schemaname <> 'bus' and relname <> 'outbox') as rows_written,
         (${events}) as events,
         pg_database_size(current_database()) as bytes_stored,
         pg_current_wal_lsn() - '0/0'::pg_lsn as wal_bytes,
         (select sum(fsyncs) from pg_stat_io where object = 'wal') as wal_fsyncs`

const countStatementsDone = `
  select coalesce(sum(calls), 0) as sql_statements
  from pg_stat_statements join pg_roles on pg_roles.oid = userid
  where rolname <> current_user and query !~* '^(begin|commit|rollback)'`

const selectHoldings = (deadLetters: string) => `
  select (select count(*) from participant_lifecycle.entries
          where kind = 'TRANSFER' and debit_account_id is not null) as reservations,
         (select count(*) from participant_lifecycle.entries
          where kind = 'TRANSFER' and outcome = 'RESERVED') as open_reservations,
         (select count(*) from participant_lifecycle.entries
          where kind = 'TRANSFER' and outcome = 'POSTED') as posted,
         (select count(*) from transfers.transfers where state = 'COMMITTED') as committed_transfers,
         (select count(*) from quoting.quotes where state = 'ACCEPTED') as accepted_quotes,
         (select count(*) from quoting.messages where kind = 'REQUEST') as kept_quotes,
         (select count(*) from notifications.undelivered) as undelivered,
         (${deadLetters}) as dead_letters`

const selectGuarantees = `
  select current_setting('fsync') = 'on' as fsync,
         current_setting('synchronous_commit') in ('on', 'remote_apply') as synchronous_commit`

const countsNow = `select current_setting('shared_preload_libraries') like '%${counting}%' as counts`

/** Where events pass through the database. On Kafka they do not, and are not counted. */
const onLog = {
  events: 'select coalesce(max(n), 0) from bus.log',
  deadLetters: 'select count(*) from bus.dead_letters',
}
const onKafka = { events: `select 'NaN'`, deadLetters: 'select 0' }

export interface HubDatabaseOptions {
  readonly dataDir: string
  readonly database: string
  readonly bus: 'log' | 'kafka'
}

export async function openHubDatabase(options: HubDatabaseOptions): Promise<HubDatabase> {
  const client = await connect(options.dataDir, options.database)
  const ofBus = options.bus === 'log' ? onLog : onKafka
  const { rows: support } = await client.query<{ readonly counts: boolean }>(countsNow)
  const countsStatements = support[0]?.counts === true
  if (countsStatements) await client.query(`create extension if not exists ${counting}`)
  const one = async (text: string) => {
    const { rows } = await client.query<Record<string, unknown>>(text)
    return rows[0] ?? {}
  }
  const numbers = async (text: string) =>
    Object.fromEntries(Object.entries(await one(text)).map(([name, n]) => [name, Number(n)]))
  return {
    async use() {
      const done = countsStatements ? await numbers(countStatementsDone) : { sql_statements: NaN }
      return { ...done, ...(await numbers(selectUse(ofBus.events))) } as unknown as DatabaseUse
    },
    holdings: async () => (await numbers(selectHoldings(ofBus.deadLetters))) as unknown as Holdings,
    guarantees: async () => (await one(selectGuarantees)) as unknown as Guarantees,
    close: () => client.end(),
  }
}
