import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { large_bytes_min } from './bind.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'
import { migrationFiles } from './testing/migration-files.ts'
import { openTestDatabases, type TestDatabases } from './testing/test-databases.ts'

let databases: TestDatabases
let db: Database

beforeAll(async () => {
  databases = await openTestDatabases()
  const migrations = migrationFiles({})
  db = await databases.openDatabase({ url: '', schema: 'bind', migrations, connections_max: 2 })
})

afterAll(() => databases.stop())

const selectAll = statement(`
  select $1::bytea as first, $2::text as text, $3::bytea as second, $4::bigint as number`)

test('PostgreSQL receives large parameters as they were, next to small ones and null', async () => {
  const near = fc.integer({ min: large_bytes_min - 2, max: large_bytes_min + 2 })
  const size = fc.oneof(fc.nat(3), near, fc.constant(300_000))
  const large = fc.tuple(size, fc.nat(255)).map(([bytes, fill]) => Buffer.alloc(bytes, fill))
  // PostgreSQL refuses U+0000 in text, and half a surrogate pair is not valid UTF-8.
  const text = fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', ''))
  const values = fc.tuple(fc.option(large), fc.option(text), fc.option(large), fc.option(fc.nat()))
  await fc.assert(
    fc.asyncProperty(values, async ([first, words, second, number]) => {
      const [row] = await db.query(selectAll, [first, words, second, number])
      expect(row).toEqual({
        first,
        text: words,
        second,
        number: number === null ? null : String(number),
      })
    }),
    { numRuns: 40 },
  )
})
