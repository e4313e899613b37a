import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { mutants } from './mutants.ts'

const root = new URL('../../../../', import.meta.url)

test.each(mutants)('The line of the mutant "$name" occurs once in $file', ({ file, from, to }) => {
  const text = readFileSync(new URL(file, root), 'utf8')
  expect(text.split(from)).toHaveLength(2)
  expect(to).not.toBe(from)
})

test('There are at least ten mutants, each with a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(mutants.length).toBeGreaterThanOrEqual(10)
})
