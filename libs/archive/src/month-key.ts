/**
 * The key of a month, read from the tables of auth-service and decrypted with AUTH_SERVICE_SECRETS_KEY. To
 * be archived, a month of a release without keys gets one here, as auth-service makes it.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { noHsm, openHsm, openSeal, type Seal } from '@causeway/crypto-provider'
import { StartError } from '@causeway/process'
import type { Client } from 'pg'
import type { OpenedDatabase } from './databases.ts'
import type { Environment } from './environment.ts'
import { boundsOf, type Month } from './month.ts'

/** ERASED: the key was dropped, and the month is not to be read again. */
export type MonthKey = Buffer | 'ERASED'

export type ReadMonthKey = (month: Month) => Promise<MonthKey>

const key_bytes = 32

/** Throws StartError when the keys cannot be read. */
export async function openKeysOfMonths(
  databases: readonly OpenedDatabase[],
  environment: Environment,
  purpose: 'ARCHIVE' | 'RESTORE',
): Promise<ReadMonthKey> {
  const client = await clientOfKeys(databases)
  const seal = await sealOf(environment)
  return async (month) => {
    const [first] = boundsOf(month)
    if (purpose === 'ARCHIVE') {
      const made = seal.encrypt(randomBytes(key_bytes), contextOf(month))
      await client.query(
        `insert into auth_service.month_keys (month, sealed, created_at)
         values ($1, $2, clock_timestamp()) on conflict do nothing`,
        [first, made],
      )
    }
    const { rows } = await client.query<{ sealed: Buffer | null }>(
      'select sealed from auth_service.month_keys where month = $1',
      [first],
    )
    const [row] = rows
    if (row === undefined) {
      throw new StartError(`There is no key of ${month} here: another hub has archived it.`)
    }
    const { sealed } = row
    if (sealed === null) return 'ERASED'
    const key = seal.decrypt(sealed, contextOf(month))
    if (key !== undefined) return key
    throw new StartError(
      'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the keys of months.',
    )
  }
}

/** As auth-service binds them. */
function contextOf(month: Month): string {
  return `month-keys/${month}`
}

async function clientOfKeys(databases: readonly OpenedDatabase[]): Promise<Client> {
  for (const { client } of databases) {
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('auth_service.month_keys') is not null as found`,
    )
    if (rows[0]?.found === true) return client
  }
  throw new StartError(
    'The keys of months are in the database of auth-service: set AUTH_SERVICE_DATABASE_URL too, or ' +
      'say --plain.',
  )
}

async function sealOf(environment: Environment): Promise<Seal> {
  const file = join(resolve(environment['DATA_DIR'] ?? '.data'), 'secrets', 'auth-service.key')
  const given = environment['AUTH_SERVICE_SECRETS_KEY'] ?? ''
  const text = given === '' && existsSync(file) ? readFileSync(file, 'utf8').trim() : given
  const token = await openHsm({
    ...noHsm,
    CRYPTO_PKCS11_LIBRARY: environment['CRYPTO_PKCS11_LIBRARY'] ?? '',
    CRYPTO_PKCS11_TOKEN: environment['CRYPTO_PKCS11_TOKEN'] ?? '',
    CRYPTO_PKCS11_PIN_FILE: environment['CRYPTO_PKCS11_PIN_FILE'] ?? '',
  })
  return openSeal('AUTH_SERVICE_SECRETS_KEY', text, token)
}
