import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { root, schemaFiles } from './schema-files.ts'

let parts: TestParts

beforeAll(async () => {
  parts = await openTestParts()
})

afterAll(() => parts.stop())

test('The page schema.sql of each package is what its migrations leave: npm run docs writes it', async () => {
  const files = await schemaFiles((options) => parts.openDatabase(options))
  expect(files.size).toBeGreaterThan(10)
  for (const [path, text] of files) {
    expect([path, readFileSync(new URL(path, root), 'utf8')]).toEqual([path, text])
  }
})
