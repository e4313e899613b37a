import { expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('./', import.meta.url)
const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** The story names in the tables of the page: the first cell of each row. */
const listed = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) =>
    [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )

const byName = (one: string, other: string) => one.localeCompare(other)

test('The page of the stories lists every story once, and none that does not exist', () => {
  const stories = readdirSync(folder)
    .filter((name) => name.endsWith('.e2e.test.ts'))
    .map((name) => name.replace(/(\.long)?\.e2e\.test\.ts$/, ''))
  expect(listed.toSorted(byName)).toEqual(stories.toSorted(byName))
})
