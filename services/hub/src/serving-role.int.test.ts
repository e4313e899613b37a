/** All services start with roles that own no table; what such a role may not do to what must stay. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '@causeway/process'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startServices } from './hub.ts'
import { openSecrets } from './secrets.ts'
import { innerServices } from './services.ts'
import { settings } from './settings.ts'

// With a comma, which divides the entries of settings that list files.
const folder = mkdtempSync(join(tmpdir(), 'causeway-serving, role-'))
const opened: { stop(): Promise<void> | void }[] = []
let parts: TestParts

beforeAll(async () => {
  parts = await openTestParts({ ownersApart: true })
  const ports = { FSP_PORT: '0', OPERATOR_PORT: '0', METRICS_PORT: '0' }
  const { values } = readSettings(settings, {
    sources: [{ origin: 'flag', values: { DATA_DIR: folder, ...ports } }],
    prefixes: [],
  })
  const secrets = await openSecrets(values, { fresh: true })
  await startServices(
    secrets.settings,
    () => parts,
    (part) => {
      opened.push(part)
      return part
    },
  )
}, 60_000)

afterAll(async () => {
  for (const part of opened.toReversed()) await part.stop()
  await parts.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** 'done', or why the role of that service is refused. */
const outcomeOf = (role: string, sql: string) =>
  parts.queryAs(role, sql).then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  )

const stays = [
  ['participant_lifecycle', 'journal', 'amount'],
  ['audit', 'entries', 'body'],
  ['settlements', 'day_reports', 'body'],
] as const

test.each(stays)(
  'The role of %s can change and remove no row of %s, only add some',
  async (schema, table, column) => {
    const refused = `permission denied for table ${table}`
    const at = `${schema}.${table}`
    expect(await outcomeOf(schema, `update ${at} set ${column} = ${column}`)).toBe(refused)
    expect(await outcomeOf(schema, `delete from ${at}`)).toBe(refused)
    expect(await outcomeOf(schema, `insert into ${at} select * from ${at} where false`)).toBe(
      'done',
    )
  },
)

test.each(Object.keys(innerServices).map((name) => name.replaceAll('-', '_')))(
  'The role of %s can empty, change, drop and create no table, and use no schema but its own',
  async (schema) => {
    const at = `${schema}.migrations`
    for (const sql of [`truncate ${at}`, `insert into ${at} values ('', '')`]) {
      expect(await outcomeOf(schema, sql)).toBe('permission denied for table migrations')
    }
    for (const sql of [`drop table ${at}`, `alter table ${at} disable trigger all`]) {
      expect(await outcomeOf(schema, sql)).toBe('must be owner of table migrations')
    }
    expect(await outcomeOf(schema, `create table ${schema}.more (n int)`)).toBe(
      `permission denied for schema ${schema}`,
    )
    const other = schema === 'audit' ? 'transfers' : 'audit'
    expect(await outcomeOf(schema, `select from ${other}.migrations`)).toBe(
      `permission denied for schema ${other}`,
    )
  },
)

test('The role of the ledger cannot reach the rows of the journal through the partition of a month', async () => {
  const [partition] = await parts.queryAs<{ name: string }>(
    'postgres',
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'participant_lifecycle.journal'::regclass limit 1`,
  )
  expect(partition?.name).toMatch(/journal_\d{4}_\d{2}$/)
  for (const verb of ['delete from', 'truncate', 'drop table']) {
    expect(await outcomeOf('participant_lifecycle', `${verb} ${partition?.name}`)).toMatch(
      /^(permission denied for|must be owner of) table journal_/,
    )
  }
})

test('The role of quoting drops no month of a table but that of counted transfers', async () => {
  expect(await outcomeOf('quoting', `select quoting.drop_counted_months('2100-01-01')`)).toBe(
    'done',
  )
  expect(await outcomeOf('quoting', `select quoting.make_partition('quotes', '2030-01-01')`)).toBe(
    'quotes is not a partitioned table',
  )
})
