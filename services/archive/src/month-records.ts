/**
 * What auth-service stores about a month: its key, whether it is erased, and what was archived of it last.
 * The key is decrypted with AUTH_SERVICE_SECRETS_KEY. To be archived, a month whose messages are not
 * encrypted gets one here, as auth-service makes it.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { noHsm, openHsm, openSeal, type Seal } from '@causeway/keys/provider'
import { StartError } from '@causeway/process'
import type { Client } from 'pg'
import type { OpenedDatabase } from './databases.ts'
import type { Environment } from './environment.ts'
import { boundsOf, type Month } from './month.ts'

/** ERASED: the key was dropped, and the month is not to be read again. */
export type MonthKey = Buffer | 'ERASED'

/** The last archive of a table of a month. */
export interface LastArchive {
  readonly archivedAt: Date
  /** The digest of its entry in the manifest. */
  readonly digest: string
}

export interface MonthRecords {
  /**
   * Undefined: keys are not used here, and the month is not erased. Throws StartError when the key cannot
   * be read.
   */
  key(month: Month): Promise<MonthKey | undefined>
  /** Whether messages of the month are encrypted with a key that is neither stored nor dropped. */
  isLost(month: Month): Promise<boolean>
  /** By the name of the table. */
  lastArchives(month: Month): Promise<ReadonlyMap<string, LastArchive>>
  noteArchive(month: Month, table: string, last: LastArchive): Promise<void>
}

const key_bytes = 32

/**
 * Throws StartError when no database has the tables of auth-service.
 * @param keys MAKE: also that of a month that has none; NONE: whether a month is erased is known without
 * AUTH_SERVICE_SECRETS_KEY
 */
export async function openMonthRecords(
  databases: readonly OpenedDatabase[],
  environment: Environment,
  keys: 'MAKE' | 'READ' | 'NONE',
): Promise<MonthRecords> {
  const client = await clientOfRecords(databases)
  const seal = keys === 'NONE' ? undefined : await sealOf(environment)
  return {
    async key(month) {
      if (seal !== undefined && keys === 'MAKE') await addKey(client, seal, month)
      const { rows } = await client.query<{ sealed: Buffer | null }>(
        'select sealed from auth_service.month_keys where month = $1',
        [boundsOf(month)[0]],
      )
      const sealed = rows[0]?.sealed
      if (sealed === null) return 'ERASED'
      if (seal === undefined) return undefined
      if (sealed === undefined) {
        throw new StartError(`There is no key of ${month} here: another hub has archived it.`)
      }
      const key = seal.decrypt(sealed, contextOf(month))
      if (key !== undefined) return key
      throw new StartError(
        'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the keys of months.',
      )
    },
    async isLost(month) {
      if (keys === 'NONE') return false
      const { rows } = await client.query('select from auth_service.month_keys where month = $1', [
        boundsOf(month)[0],
      ])
      if (rows.length > 0) return false
      const used = await Promise.all(databases.map((one) => hasMessagesOf(one.client, month)))
      return used.includes(true)
    },
    async lastArchives(month) {
      const { rows } = await client.query<{ name: string; digest: string; archived_at: Date }>(
        `select table_name as name, digest, archived_at from auth_service.archived_tables
          where month = $1`,
        [boundsOf(month)[0]],
      )
      return new Map(
        rows.map(({ name, digest, archived_at }) => [name, { digest, archivedAt: archived_at }]),
      )
    },
    async noteArchive(month, table, { archivedAt, digest }) {
      await client.query(
        `insert into auth_service.archived_tables (month, table_name, digest, archived_at)
         values ($1, $2, $3, $4)
         on conflict (month, table_name) do update
           set digest = excluded.digest, archived_at = excluded.archived_at`,
        [boundsOf(month)[0], table, digest, archivedAt],
      )
    },
  }
}

/** Services note in `message_keys` which keys they encrypt messages with. */
async function hasMessagesOf(client: Client, month: Month): Promise<boolean> {
  const { rows } = await client.query<{ table: string }>(
    `select format('%I.message_keys', n.nspname) as table
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relname = 'message_keys' and c.relkind = 'r' and has_table_privilege(c.oid, 'select')`,
  )
  for (const { table } of rows) {
    const found = await client.query(`select from ${table} where month = $1 limit 1`, [
      boundsOf(month)[0],
    ])
    if (found.rows.length > 0) return true
  }
  return false
}

async function addKey(client: Client, seal: Seal, month: Month): Promise<void> {
  const made = seal.encrypt(randomBytes(key_bytes), contextOf(month))
  await client.query(
    `insert into auth_service.month_keys (month, sealed, created_at)
     values ($1, $2, clock_timestamp()) on conflict do nothing`,
    [boundsOf(month)[0], made],
  )
}

/** As auth-service binds them. */
function contextOf(month: Month): string {
  return `month-keys/${month}`
}

async function clientOfRecords(databases: readonly OpenedDatabase[]): Promise<Client> {
  for (const { client } of databases) {
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('auth_service.archived_tables') is not null as found`,
    )
    if (rows[0]?.found === true) return client
  }
  throw new StartError(
    'Which months are erased, and what was archived last, is in the database of auth-service of this ' +
      'release: set AUTH_SERVICE_DATABASE_URL too.',
  )
}

async function sealOf(environment: Environment): Promise<Seal> {
  const file = join(resolve(environment['DATA_DIR'] ?? '.data'), 'secrets', 'auth-service.key')
  const given = environment['AUTH_SERVICE_SECRETS_KEY'] || undefined
  const text = given ?? (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined)
  const token = await openHsm({
    ...noHsm,
    CRYPTO_PKCS11_LIBRARY: environment['CRYPTO_PKCS11_LIBRARY'] || undefined,
    CRYPTO_PKCS11_TOKEN: environment['CRYPTO_PKCS11_TOKEN'] || undefined,
    CRYPTO_PKCS11_PIN_FILE: environment['CRYPTO_PKCS11_PIN_FILE'] || undefined,
  })
  return openSeal('AUTH_SERVICE_SECRETS_KEY', text, token)
}
