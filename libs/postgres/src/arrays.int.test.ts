import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openTestDatabases, type TestDatabases } from './testing/test-databases.ts'
import { migrationFiles } from './testing/migration-files.ts'
import { byteaArray, textArray } from './arrays.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

let databases: TestDatabases
let db: Database

beforeAll(async () => {
  databases = await openTestDatabases()
  const migrations = migrationFiles({})
  db = await databases.openDatabase({ url: '', schema: 'arrays', migrations, connections_max: 2 })
})

afterAll(() => databases.stop())

const unnestText = statement('select value from unnest($1::text[]) as value')
const unnestBytea = statement('select value from unnest($1::bytea[]) as value')
const unnestNumeric = statement('select value from unnest($1::text[]::numeric[]) as value')

async function texts(values: readonly (string | null)[]) {
  const rows = await db.query<{ value: string | null }>(unnestText, [textArray(values)])
  return rows.map(({ value }) => value)
}

async function bytes(values: readonly (Buffer | null)[]) {
  const rows = await db.query<{ value: Buffer | null }>(unnestBytea, [byteaArray(values)])
  return rows.map(({ value }) => value)
}

test('Any texts and nulls are read from PostgreSQL as they were sent', async () => {
  // PostgreSQL refuses U+0000 in text, and half a surrogate pair is not valid UTF-8.
  const text = fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      expect(await texts(values)).toEqual(values)
    }),
  )
})

test('Any bytes and nulls are read from PostgreSQL as they were sent', async () => {
  const buffer = fc.uint8Array().map((each) => Buffer.from(each))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(buffer)), async (values) => {
      expect(await bytes(values)).toEqual(values)
    }),
  )
})

test('Text that is special in array literals arrives unchanged', async () => {
  const values = [
    '',
    'null',
    'NULL',
    null,
    '"',
    "'",
    '\\',
    '\\x41',
    '{}',
    '{a,b}',
    ',',
    'é漢🏦',
    ' ',
  ]
  expect(await texts(values)).toEqual(values)
  expect(await texts([])).toEqual([])
  expect(await texts([null])).toEqual([null])
})

test('A zero byte, an empty buffer and a megabyte arrive unchanged', async () => {
  const megabyte = Buffer.alloc(1_048_576, Buffer.from([0, 1, 39, 92, 255]))
  const [large, ...rest] = await bytes([megabyte, Buffer.from([0]), Buffer.alloc(0), null])
  expect(large?.equals(megabyte)).toBe(true)
  expect(rest).toEqual([Buffer.from([0]), Buffer.alloc(0), null])
  const text = 'é'.repeat(524_288)
  expect(await texts([text])).toEqual([text])
})

test('Eighteen nines with four decimals retain every digit through numeric(40,0)', async () => {
  const units = '9999999999999999999999'
  const rows = await db.query(unnestNumeric, [textArray([units, `-${units}`, '0'])])
  expect(rows).toEqual([{ value: units }, { value: `-${units}` }, { value: '0' }])
  const [row] = await db.query<{ whole: string; sum: string; list: readonly string[] }>(
    statement(`select $1::numeric(40,0) as whole, $1::numeric(40,0) + 1 as sum,
                      array[$1::numeric(40,0)] as list`),
    [units],
  )
  expect(row).toEqual({ whole: units, sum: '10000000000000000000000', list: [units] })
})

test('Values of every type are read without loss', async () => {
  const rows = await db.query(
    statement(`select 9223372036854775807::int8 as large, 7 as small, true as yes, null as nothing,
                      '2026-12-31T23:59:59.999Z'::timestamptz(3) as at, '2026-12-01'::date as day,
                      '\\x00ff'::bytea as bytes, array[9223372036854775807]::int8[] as list`),
    [],
  )
  expect(rows).toEqual([
    {
      large: '9223372036854775807',
      small: 7,
      yes: true,
      nothing: null,
      at: new Date('2026-12-31T23:59:59.999Z'),
      day: '2026-12-01',
      bytes: Buffer.from([0, 255]),
      list: ['9223372036854775807'],
    },
  ])
})
