import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { openTestDatabases, type TestDatabases } from './testing/test-databases.ts'
import { migrationFiles } from './testing/migration-files.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

let databases: TestDatabases

beforeEach(async () => {
  databases = await openTestDatabases()
})

afterEach(() => databases.stop())

const first = { '0001-accounts.sql': 'create table accounts (id integer primary key);' }
const second = {
  '0002-names.sql': `alter table accounts add column name text; insert into accounts values (1, 'Hub');`,
}

function open(files: Readonly<Record<string, string>>): Promise<Database> {
  const migrations = migrationFiles(files)
  return databases.openDatabase({ url: '', schema: 'books', migrations, connections_max: 2 })
}

const selectApplied = statement('select number, name, applied_at from migrations order by number')
const selectAccounts = statement('select * from accounts')

test('Migrations are applied once, in the order of their numbers, and later ones at a later start', async () => {
  await open(first)
  const db = await open({ ...second, ...first })
  await open({ ...first, ...second })
  expect(await db.query(selectAccounts, [])).toEqual([{ id: 1, name: 'Hub' }])
  expect(await db.query(selectApplied, [])).toEqual([
    { number: 1, name: '0001-accounts.sql', applied_at: expect.any(Date) },
    { number: 2, name: '0002-names.sql', applied_at: expect.any(Date) },
  ])
})

test('Processes that start at the same time apply each migration once', async () => {
  const slow = { '0003-slow.sql': 'select pg_sleep(0.05); create table slow (id integer);' }
  const all = await Promise.all([1, 2, 3].map(() => open({ ...first, ...second, ...slow })))
  expect(await all[2]?.query(selectAccounts, [])).toEqual([{ id: 1, name: 'Hub' }])
})

test('A migration that was changed after it was applied stops the start', async () => {
  await open(first)
  const changed = { '0001-accounts.sql': 'create table accounts (id bigint primary key);' }
  await expect(open(changed)).rejects.toThrow(
    'The migration 0001-accounts.sql was changed after it was applied to the schema books.',
  )
})

test('A missing file of an applied migration stops the start', async () => {
  await open({ ...first, ...second })
  await expect(open(second)).rejects.toThrow(
    'The migration 0001-accounts.sql was applied to the schema books, but its file is missing.',
  )
  await expect(open(first)).rejects.toThrow(/0002-names.sql .* is missing/)
})

test('A migration with a number below an applied one stops the start', async () => {
  await open(second2)
  await expect(open({ ...first, ...second2 })).rejects.toThrow(
    'The migration 0001-accounts.sql comes before 0002-other.sql, which was applied to the schema books already.',
  )
})

const second2 = { '0002-other.sql': 'create table other (id integer);' }

test('A migration that fails is rolled back and is tried again at the next start', async () => {
  const broken = { '0002-names.sql': 'create table half (id integer); select 1 / 0;' }
  await expect(open({ ...first, ...broken })).rejects.toMatchObject({
    message: 'The migration 0002-names.sql of the schema books failed',
    cause: { code: '22012' },
  })
  const db = await open({ ...first, ...second })
  expect(await db.query(statement(`select to_regclass('half') as half`), [])).toEqual([
    { half: null },
  ])
})

test('A file name without a number and a number that occurs twice stop the start', async () => {
  await expect(open({ 'accounts.sql': '' })).rejects.toThrow(
    'The migration accounts.sql must be called NNNN-name.sql.',
  )
  await expect(open({ '0001-a.sql': '', '0001-b.sql': '' })).rejects.toThrow(
    'The migration 0001-a.sql shares its number with another one.',
  )
})
