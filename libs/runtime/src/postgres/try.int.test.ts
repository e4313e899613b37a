import { expect, test } from '@jest/globals'
import { openTestParts } from '../testing.ts'
import { statement } from './statement.ts'
import { textArray } from './arrays.ts'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
test('x', async () => {
  const parts = await openTestParts()
  const dir = mkdtempSync('/tmp/mig-')
  writeFileSync(
    dir + '/0001-a.sql',
    'create table t (a text, b numeric(40,0)); create table p (month date) partition by range (month);',
  )
  const o = { url: '', schema: 'transfers', migrations: pathToFileURL(dir), connections_max: 4 }
  const db = await parts.openDatabase(o)
  expect(
    await db.query(statement('select unnest($1::text[]) as a'), [textArray(['a', null, 'é'])]),
  ).toEqual([{ a: 'a' }, { a: null }, { a: 'é' }])
  const x = await parts.openExclusive({ ...o, lock: 'l' })
  expect(await x.transaction((tx) => tx.query(statement('select 1 as a'), []))).toEqual([{ a: 1 }])
  const p2 = await parts.restart()
  await x.lost
  const db2 = await p2.openDatabase(o)
  expect(await db2.query(statement('select * from t'), [])).toEqual([])
  await expect(db.query(statement('select * from t'), [])).rejects.toThrow(/pool/)
  await p2.stop()
})
