import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Database, ensureMonthlyPartitions, statement } from '@causeway/postgres'
import {
  migrationFiles,
  openTestDatabases,
  temporaryFolder,
  type TestDatabases,
} from '@causeway/postgres/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { archive, restore } from './command.ts'
import type { ArchivedTable, Manifest } from './manifest.ts'
import { openAuthService } from './testing/auth-service.ts'

let databases: TestDatabases
let db: Database
let keys: Database

const bodies = `
  create table bodies (id integer, month date, body text, primary key (id, month))
    partition by range (month);
  create table lines (id integer, month date, primary key (id, month)) partition by range (month);
  comment on table bodies is 'archived by month';
  comment on table lines is 'archived by month';`

beforeAll(async () => {
  databases = await openTestDatabases()
  const migrations = migrationFiles({ '0001-tables.sql': bodies })
  db = await databases.openDatabase({ url: '', schema: 'months', migrations, connections_max: 2 })
  keys = await openAuthService(databases)
})

afterAll(() => databases.stop())

const reports: string[] = []
const secret = randomBytes(32).toString('base64url')

function surroundings(more: Readonly<Record<string, string>> = {}) {
  reports.length = 0
  return {
    environment: {
      MONTHS_DATABASE_URL: databases.databaseUrl,
      AUTH_SERVICE_SECRETS_KEY: secret,
      ...more,
    },
    report: (sentence: string) => void reports.push(sentence),
  }
}

const archiveTo = (folder: string, month: string) =>
  archive(['--month', month, '--to', folder], surroundings())
const restoreFrom = (monthFolder: string) => restore(['--from', monthFolder], surroundings())
const restorePlain = (monthFolder: string) =>
  restore(['--from', monthFolder, '--plain'], surroundings())

async function fill(month: string): Promise<void> {
  await ensureMonthlyPartitions(db, ['bodies', 'lines'], new Date(`${month}-15T00:00:00Z`))
  const values = [`${month}-01`]
  await db.query(
    statement(
      `insert into bodies select n, $1::date, 'MSISDN 22507008181' from generate_series(1, 50) n`,
    ),
    values,
  )
  await db.query(statement('insert into lines values (1, $1::date)'), values)
}

async function rowsOf(table: 'bodies' | 'lines', month: string): Promise<number> {
  const [row] = await db.query<{ rows: number }>(
    statement(`select count(*)::integer as rows from ${table} where month = $1::date`),
    [`${month}-01`],
  )
  return row?.rows ?? -1
}

function manifestIn(monthFolder: string): Manifest {
  return JSON.parse(readFileSync(join(monthFolder, 'manifest.json'), 'utf8')) as Manifest
}

function changeEntries(monthFolder: string, change: (entry: ArchivedTable) => ArchivedTable): void {
  const manifest = manifestIn(monthFolder)
  const tables = manifest.tables.map(change)
  writeFileSync(join(monthFolder, 'manifest.json'), JSON.stringify({ ...manifest, tables }))
}

/** Each table as a file without encryption, with one row of the forger. */
function forgePlain(monthFolder: string, month: string): void {
  changeEntries(monthFolder, ({ encryption: _none, hmac: _neither, ...entry }) => {
    const row = entry.table === 'bodies' ? `1\t${month}-01\tforged\n` : `1\t${month}-01\n`
    const content = gzipSync(row)
    const file = `${entry.schema}.${entry.table}.copy.gz`
    writeFileSync(join(monthFolder, file), content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { ...entry, file, rows: 1, bytes: content.length, sha256 }
  })
}

/** Puts a copy of the folder of the month in the place of the folder itself. */
function putBack(copy: string, monthFolder: string): void {
  rmSync(monthFolder, { recursive: true })
  cpSync(copy, monthFolder, { recursive: true })
}

function fileOf(monthFolder: string): string {
  const manifest = manifestIn(monthFolder)
  const entry = manifest.tables.find(({ table }) => table === 'bodies')
  return join(monthFolder, entry?.file ?? '')
}

test('An archived month is encrypted with its key, and restored with the same key', async () => {
  await fill('2025-03')
  const folder = temporaryFolder('encrypted')
  await archiveTo(folder, '2025-03')
  const file = fileOf(join(folder, '2025-03'))
  expect(file).toMatch(/\.copy\.gz\.enc$/)
  expect(() => gunzipSync(readFileSync(file))).toThrow('incorrect header check')
  expect(await rowsOf('bodies', '2025-03')).toBe(0)
  await restoreFrom(join(folder, '2025-03'))
  expect(await rowsOf('bodies', '2025-03')).toBe(50)
})

test('An earlier file that is not encrypted goes when the month is archived again', async () => {
  await fill('2025-04')
  const folder = temporaryFolder('again')
  const monthFolder = join(folder, '2025-04')
  await archive(['--month', '2025-04', '--to', folder, '--plain'], surroundings())
  const plain = fileOf(monthFolder)
  expect(gunzipSync(readFileSync(plain)).toString()).toContain('22507008181')
  await expect(restoreFrom(monthFolder)).rejects.toThrow('months.bodies.copy.gz is not encrypted')
  await restorePlain(monthFolder)
  await archiveTo(folder, '2025-04')
  expect(existsSync(plain)).toBe(false)
  expect(existsSync(fileOf(monthFolder))).toBe(true)
})

test('A modified file and another secret are found before anything is restored', async () => {
  await fill('2025-05')
  const folder = temporaryFolder('modified')
  const monthFolder = join(folder, '2025-05')
  await archiveTo(folder, '2025-05')
  const other = { AUTH_SERVICE_SECRETS_KEY: randomBytes(32).toString('base64url') }
  await expect(restore(['--from', monthFolder], surroundings(other))).rejects.toThrow(
    'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the keys of months.',
  )
  const file = fileOf(monthFolder)
  const bytes = readFileSync(file)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  writeFileSync(file, bytes)
  await expect(restoreFrom(monthFolder)).rejects.toThrow(file)
  expect(await rowsOf('bodies', '2025-05')).toBe(0)
})

test('A month whose key is dropped is not restored, and leaves the database without a file', async () => {
  await fill('2025-06')
  const folder = temporaryFolder('erased')
  await archiveTo(folder, '2025-06')
  await fill('2025-07')
  await keys.query(statement(`insert into month_keys values ('2025-07-01', null, now())`), [])
  await keys.query(statement(`update month_keys set sealed = null where month = '2025-06-01'`), [])
  await expect(restoreFrom(join(folder, '2025-06'))).rejects.toThrow('2025-06 is erased')
  await archiveTo(folder, '2025-07')
  expect(await rowsOf('bodies', '2025-07')).toBe(0)
  expect(existsSync(join(folder, '2025-07', 'manifest.json'))).toBe(false)
})

test('A file without encryption in the place of an encrypted one is not restored', async () => {
  await fill('2024-03')
  const folder = temporaryFolder('downgraded')
  const monthFolder = join(folder, '2024-03')
  await archiveTo(folder, '2024-03')
  forgePlain(monthFolder, '2024-03')
  await expect(restoreFrom(monthFolder)).rejects.toThrow('months.bodies.copy.gz is not encrypted')
  await expect(restorePlain(monthFolder)).rejects.toThrow(
    'is not the last archive of months.bodies',
  )
  await expect(archiveTo(folder, '2024-03')).rejects.toThrow('is not encrypted')
  expect(await rowsOf('bodies', '2024-03')).toBe(0)
})

test('An earlier archive of a month is not restored, encrypted or plain', async () => {
  for (const [month, options] of [
    ['2024-04', []],
    ['2024-05', ['--plain']],
  ] as const) {
    await fill(month)
    const folder = temporaryFolder('rolled-back')
    const monthFolder = join(folder, month)
    const again = () => archive(['--month', month, '--to', folder, ...options], surroundings())
    await again()
    const copy = join(temporaryFolder('copy'), month)
    cpSync(monthFolder, copy, { recursive: true })
    await restore(['--from', monthFolder, ...options], surroundings())
    await db.query(statement('update bodies set body = null where month = $1::date'), [
      `${month}-01`,
    ])
    await again()
    const current = join(temporaryFolder('current'), month)
    cpSync(monthFolder, current, { recursive: true })
    putBack(copy, monthFolder)
    await expect(restorePlain(monthFolder)).rejects.toThrow(
      'is not the last archive of months.bodies',
    )
    expect(await rowsOf('bodies', month)).toBe(0)
    putBack(current, monthFolder)
    await restorePlain(monthFolder)
    expect(await rowsOf('bodies', month)).toBe(50)
  }
})

test('A month that is erased is not restored from a plain archive either, nor archived plain', async () => {
  await fill('2024-06')
  const folder = temporaryFolder('erased-plain')
  const plainly = ['--month', '2024-06', '--to', folder, '--plain']
  await archive(plainly, surroundings())
  const copy = temporaryFolder('erased-copy')
  cpSync(join(folder, '2024-06'), join(copy, '2024-06'), { recursive: true })
  await keys.query(statement(`insert into month_keys values ('2024-06-01', null, now())`), [])
  await expect(restorePlain(join(folder, '2024-06'))).rejects.toThrow('2024-06 is erased')
  await fill('2024-06')
  rmSync(join(folder, '2024-06'), { recursive: true })
  await archive(plainly, surroundings())
  expect(existsSync(join(folder, '2024-06', 'manifest.json'))).toBe(false)
  await expect(restorePlain(join(copy, '2024-06'))).rejects.toThrow('2024-06 is erased')
  expect(await rowsOf('bodies', '2024-06')).toBe(0)
})

test('An entry that states other columns than were archived is not restored', async () => {
  await fill('2024-07')
  const folder = temporaryFolder('columns')
  const monthFolder = join(folder, '2024-07')
  await archiveTo(folder, '2024-07')
  await keys.query(statement(`delete from archived_tables where month = '2024-07-01'`), [])
  const swapped = (entry: ArchivedTable) => ({ ...entry, columns: entry.columns.toReversed() })
  changeEntries(monthFolder, swapped)
  await expect(restoreFrom(monthFolder)).rejects.toThrow(
    'The entry of months.bodies.copy.gz.enc in its manifest was changed.',
  )
  expect(await rowsOf('bodies', '2024-07')).toBe(0)
})

test('A month is restored although the database of auth-service is older than its archive', async () => {
  await fill('2024-08')
  const folder = temporaryFolder('older-record')
  const monthFolder = join(folder, '2024-08')
  await archiveTo(folder, '2024-08')
  await keys.query(
    statement(`update archived_tables set digest = repeat('0', 64), archived_at = '2024-12-01'
      where month = '2024-08-01' and table_name = 'months.bodies'`),
    [],
  )
  await keys.query(
    statement(`delete from archived_tables
      where month = '2024-08-01' and table_name = 'months.lines'`),
    [],
  )
  await restoreFrom(monthFolder)
  expect(await rowsOf('bodies', '2024-08')).toBe(50)
  expect(await rowsOf('lines', '2024-08')).toBe(1)
})

test('A month whose key is lost stays, since its archive would get another key', async () => {
  await fill('2024-09')
  await db.query(statement('create table message_keys (month date, thumbprint bytea)'), [])
  await db.query(statement(`insert into message_keys values ('2024-09-01', '\\x00')`), [])
  const folder = temporaryFolder('lost')
  await expect(archiveTo(folder, '2024-09')).rejects.toThrow(
    '2024-09 stays: auth_service: the key of its messages is lost.',
  )
  expect(await rowsOf('bodies', '2024-09')).toBe(50)
  await db.query(statement('drop table message_keys'), [])
  await archiveTo(folder, '2024-09')
  expect(await rowsOf('bodies', '2024-09')).toBe(0)
})

test('What is due is archived table by table, by the retention of each', async () => {
  const now = new Date()
  const monthAgo = (months: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)).toISOString().slice(0, 7)
  const [young, old] = [monthAgo(3), monthAgo(5)]
  await fill(old)
  await fill(young)
  const folder = temporaryFolder('due')
  const retention = { RETENTION_MONTHS: '3', RETENTION_MONTHS_BY_TABLE: 'months.lines=6' }
  await archive(['--due', '--to', folder], surroundings(retention))
  expect(await rowsOf('bodies', old)).toBe(0)
  expect(await rowsOf('lines', old)).toBe(1)
  expect(await rowsOf('bodies', young)).toBe(50)
  await restoreFrom(join(folder, old))
  expect(await rowsOf('bodies', old)).toBe(50)
})

test('Database URL and key may be in files, each given once', async () => {
  await fill('2025-08')
  const folder = temporaryFolder('files')
  const inFile = (name: string, content: string) => {
    const file = join(folder, name)
    writeFileSync(file, `${content}\n`)
    return file
  }
  const files = {
    MONTHS_MIGRATION_DATABASE_URL_FILE: inFile('url', databases.databaseUrl),
    AUTH_SERVICE_SECRETS_KEY_FILE: inFile('key', secret),
  }
  const month = ['--month', '2025-08', '--to', folder]
  await expect(archive(month, surroundings(files))).rejects.toThrow(
    'AUTH_SERVICE_SECRETS_KEY and AUTH_SERVICE_SECRETS_KEY_FILE are both given.',
  )
  const away = { ...files, AUTH_SERVICE_SECRETS_KEY_FILE: join(folder, 'missing') }
  const report = (sentence: string) => void reports.push(sentence)
  await expect(archive(month, { environment: away, report })).rejects.toThrow(
    'AUTH_SERVICE_SECRETS_KEY_FILE: ENOENT',
  )
  expect(await rowsOf('bodies', '2025-08')).toBe(50)
  await archive(month, { environment: files, report })
  expect(await rowsOf('bodies', '2025-08')).toBe(0)
  await restoreFrom(join(folder, '2025-08'))
  expect(await rowsOf('bodies', '2025-08')).toBe(50)
})

test('A retention that is no number of months, or of an unknown table, changes nothing', async () => {
  const due = (retention: Readonly<Record<string, string>>) =>
    archive(['--due', '--to', temporaryFolder('wrong')], surroundings(retention))
  await expect(due({ RETENTION_MONTHS: '1' })).rejects.toThrow(
    'RETENTION_MONTHS: 1 is not 2 to 240',
  )
  await expect(due({ RETENTION_MONTHS_BY_TABLE: 'months.other=3' })).rejects.toThrow(
    'no table of months is months.other',
  )
})
