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

type Files = Readonly<Record<string, string>>

function open(files: Files, hostedFiles?: Files): Promise<Database> {
  const migrations = migrationFiles(files)
  const hosted = hostedFiles && { notes: migrationFiles(hostedFiles) }
  return databases.openDatabase({
    url: '',
    schema: 'books',
    migrations,
    hosted,
    connections_max: 2,
  })
}

const selectApplied = statement('select name, applied_at from migrations order by name')
const selectAccounts = statement('select * from accounts')

test('Migrations are applied once, in the order of their numbers, and later ones at a later start', async () => {
  await open(first)
  const db = await open({ ...second, ...first })
  await open({ ...first, ...second })
  expect(await db.query(selectAccounts, [])).toEqual([{ id: 1, name: 'Hub' }])
  expect(await db.query(selectApplied, [])).toEqual([
    { name: '0001-accounts.sql', applied_at: expect.any(Date) },
    { name: '0002-names.sql', applied_at: expect.any(Date) },
  ])
})

const notes = { '0001-notes.sql': 'create table notes (id integer primary key);' }
const texts = { '0002-texts.sql': 'alter table notes add column text text;' }

test('The tables of a hosted package come before those of the service, which may refer to them', async () => {
  const referring = { '0001-books.sql': 'create table books (note integer references notes);' }
  await open(referring, notes)
  const pages = { '0002-pages.sql': 'create table pages (text text);' }
  const db = await open({ ...referring, ...pages }, { ...notes, ...texts })
  expect((await db.query<{ name: string }>(selectApplied, [])).map(({ name }) => name)).toEqual([
    '0001-books.sql',
    '0002-pages.sql',
    'notes/0001-notes.sql',
    'notes/0002-texts.sql',
  ])
})

test('A changed, a missing and a late migration of a hosted package stop the start', async () => {
  await open(first, { '0002-notes.sql': notes['0001-notes.sql'] })
  await expect(open(first, { '0002-notes.sql': 'select 1;' })).rejects.toThrow(
    'The migration notes/0002-notes.sql was changed after it was applied to the schema books.',
  )
  await expect(open(first)).rejects.toThrow(/notes\/0002-notes.sql .* is missing/)
  const late = { '0001-late.sql': '', '0002-notes.sql': notes['0001-notes.sql'] }
  await expect(open(first, late)).rejects.toThrow(
    'The migration notes/0001-late.sql comes before notes/0002-notes.sql, which was applied',
  )
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
