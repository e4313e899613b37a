import { randomBytes } from 'node:crypto'
import { StartError } from '@causeway/process'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { testSocketFolder } from './testing/test-server.ts'
import { superuser } from './hub-lock.ts'
import { provisionRole } from './roles/roles.ts'
import { socketUrl } from './service-databases.ts'

const administrator = () => socketUrl(testSocketFolder(), 'postgres', superuser)

/** The errors of the statements when the owner of the URL runs them one by one. */
async function outcomesOf(url: string, statements: readonly string[]): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const outcomes: string[] = []
  for (const sql of statements) {
    outcomes.push(
      await client.query(sql).then(
        () => 'done',
        (error: unknown) => (error as Error).message,
      ),
    )
  }
  await client.end()
  return outcomes
}

test('Each service has a role with its own schema and no right on any other', async () => {
  const suffix = randomBytes(4).toString('hex')
  const database = `provisioned_${suffix}`
  const [shop, office] = [`shop_${suffix}`, `office_${suffix}`]
  const urlOf = (role: string) => socketUrl(testSocketFolder(), database, role)
  for (const role of [shop, office, shop]) {
    await provisionRole(administrator(), { schema: role, url: urlOf(role) })
  }
  const own = [`create table ${shop}.bills (n int)`, `insert into ${shop}.bills values (1)`]
  expect(await outcomesOf(urlOf(shop), own)).toEqual(['done', 'done'])
  const others = [
    `select n from ${shop}.bills`,
    `create table ${shop}.more (n int)`,
    'create table public.more (n int)',
    'create schema more',
    'create temporary table more (n int)',
    `set role ${shop}`,
  ]
  expect(await outcomesOf(urlOf(office), others)).toEqual([
    `permission denied for schema ${shop}`,
    `permission denied for schema ${shop}`,
    'permission denied for schema public',
    `permission denied for database ${database}`,
    `permission denied to create temporary tables in database "${database}"`,
    `permission denied to set role "${shop}"`,
  ])
})

test.each([
  ['no URL', 'TRANSFERS_DATABASE_URL is not a URL.'],
  ['postgres://127.0.0.1/causeway', 'names no role'],
  ['postgres://transfers@127.0.0.1/', 'names no database'],
])('The URL %s is refused with an error that names its setting', async (url, sentence) => {
  const refused = provisionRole(administrator(), { schema: 'transfers', url })
  await expect(refused).rejects.toThrow(StartError)
  await expect(refused).rejects.toThrow(sentence)
})
