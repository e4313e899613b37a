import { randomBytes } from 'node:crypto'
import { StartError } from '@causeway/process'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { superuser } from './hub-lock.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open.ts'
import { ensureMonthlyPartitions } from './partitions.ts'
import { provisionRole } from './roles/roles.ts'
import { socketUrl } from './service-databases.ts'
import { rightsIn } from './roles/serving-role.ts'
import { statement } from './statement.ts'
import { migrationFiles } from './testing/migration-files.ts'
import { createTestDatabase, openTestLog, type TestDatabase } from './testing/test-databases.ts'
import { testSocketFolder } from './testing/test-server.ts'

const first = {
  '0001-bills.sql': `
    create domain units as numeric(40, 0) check (value > 0);
    create sequence numbers;
    create table bills (n bigint generated always as identity primary key, units units not null);
    create table lines (month date, units units) partition by range (month);
    comment on table lines is 'only added to';
    create function total() returns numeric language sql as 'select sum(units) from bills';`,
}
const second = { '0002-notes.sql': 'create table notes (text text);' }

let database: TestDatabase
let schema: string
let owner: string

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.drop())

beforeEach(() => {
  schema = `shop_${randomBytes(4).toString('hex')}`
  owner = `${schema}_owner`
})

const urlOf = (role: string) => socketUrl(testSocketFolder(), database.name, role)
const connectionOf = (role: string) => ({ url: urlOf(role), schema, applicationName: 'test' })
const administrator = () => socketUrl(testSocketFolder(), 'postgres', superuser)
const log = openTestLog()
const outbox = { write: () => Promise.reject(new Error('there is no bus')) }

function provision(hasOwner: boolean): Promise<void> {
  const migrationUrl = hasOwner ? urlOf(owner) : undefined
  return provisionRole(administrator(), { schema, url: urlOf(schema), migrationUrl })
}

const migrateAs = (role: string, files: Readonly<Record<string, string>>, servingRole?: string) =>
  migrate({ ...connectionOf(role), servingRole }, { migrations: migrationFiles(files) })

const openServing = (files: Readonly<Record<string, string>>) =>
  openDatabase(
    { url: urlOf(schema), schema, migrations: migrationFiles(files), connections_max: 1 },
    { outbox, log },
  )

const outcomeOf = (sql: string) =>
  database.queryAs(schema, `set search_path = ${schema}; ${sql}`).then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  )

/** What every role that serves can do, and what it cannot. */
async function expectServing(): Promise<void> {
  for (const sql of [
    `insert into bills (units) values (1)`,
    `update bills set units = 2`,
    `delete from bills`,
    `select nextval('numbers'), total()`,
    `insert into lines values ('2026-08-15', 1)`,
    `select from lines`,
  ]) {
    expect(`${sql}: ${await outcomeOf(sql)}`).toBe(`${sql}: done`)
  }
  const refused = [
    'update lines set units = 2',
    'delete from lines',
    'delete from lines_2026_08',
    'insert into lines_2026_08 values (null, 1)',
    'truncate bills',
    'drop table bills',
    'drop function total',
    'alter table lines add column more int',
    'create table more (n int)',
    'delete from migrations',
    `comment on table lines is ''`,
  ]
  for (const sql of refused) {
    expect(`${sql}: ${await outcomeOf(sql)}`).toMatch(/: (permission denied|must be owner)/)
  }
}

test('A role that serves reads and writes rows of the tables that another role owns, and changes no table', async () => {
  await provision(true)
  await migrateAs(owner, first, schema)
  const db = await openServing(first)
  await ensureMonthlyPartitions(db, ['lines'], new Date('2026-08-01T00:00:00Z'))
  await expectServing()
  await expect(
    db.query(statement(`select make_partition('bills', '2026-08-01')`), []),
  ).rejects.toThrow('bills is not a partitioned table')
  await db.close()
  expect(await rightsIn(connectionOf(schema))).toBe('SERVES')
  expect(await rightsIn(connectionOf(owner))).toBe('OWNER')
  expect(await rightsIn(connectionOf(superuser))).toBe('SUPERUSER')
})

test('A schema is handed over to an owner while its service runs, which goes on with its rights', async () => {
  await provision(false)
  const db = await openServing(first)
  await ensureMonthlyPartitions(db, ['lines'], new Date('2026-08-01T00:00:00Z'))
  expect(await rightsIn(connectionOf(schema))).toBe('OWNER')
  await provision(true)
  expect(await db.query(statement('insert into bills (units) values (1) returning n'), [])).toEqual(
    [{ n: '1' }],
  )
  await ensureMonthlyPartitions(db, ['lines'], new Date('2026-11-01T00:00:00Z'))
  await db.close()
  await expectServing()
  await migrateAs(owner, { ...first, ...second }, schema)
  expect(await outcomeOf(`insert into notes values ('new')`)).toBe('done')
  expect(await rightsIn(connectionOf(schema))).toBe('SERVES')
})

test('A schema goes back to the role that serves when no other one is named', async () => {
  await provision(true)
  await migrateAs(owner, first, schema)
  await provision(false)
  expect(await rightsIn(connectionOf(schema))).toBe('OWNER')
  const db = await openServing({ ...first, ...second })
  expect(await outcomeOf('truncate bills')).toBe('done')
  await db.close()
})

test('A role that serves does not start before the owner has migrated, and says which program does', async () => {
  await provision(true)
  const missing = openServing(first)
  await expect(missing).rejects.toThrow(StartError)
  await expect(missing).rejects.toThrow(
    `The schema ${schema} lacks the migration 0001-bills.sql, which its role may not apply: run the program migrate of this release first.`,
  )
  await migrateAs(owner, first, schema)
  await expect(openServing({ ...first, ...second })).rejects.toThrow('0002-notes.sql')
  const db = await openServing(first)
  await db.close()
})

test('Rights that a role that serves should not have are taken back at the next migration', async () => {
  await provision(true)
  await migrateAs(owner, first, schema)
  await database.queryAs(
    owner,
    `grant all on ${schema}.lines to ${schema}; grant create on schema ${schema} to ${schema}`,
  )
  expect(await outcomeOf('truncate lines')).toBe('done')
  await migrateAs(owner, { ...first, ...second }, schema)
  expect(await outcomeOf('truncate lines')).toBe('permission denied for table lines')
  expect(await outcomeOf('create table more (n int)')).toBe(
    `permission denied for schema ${schema}`,
  )
})

test('URLs that name two databases are refused', async () => {
  const migrationUrl = socketUrl(testSocketFolder(), 'postgres', owner)
  await expect(
    provisionRole(administrator(), { schema, url: urlOf(schema), migrationUrl }),
  ).rejects.toThrow(`The URLs of ${schema} name two databases.`)
})
