import { expect, test } from '@jest/globals'
import { breaches, longFunctions } from './rules.ts'
import { readFile } from './source-file.ts'

function check(path: string, ...lines: readonly string[]) {
  return breaches(readFile(path, ['/** A promise. */', ...lines, ''].join('\n')))
}

const store = 'services/transfers/src/store.ts'
const domain = 'services/transfers/src/domain/decide.ts'
const testOfDomain = 'services/transfers/src/domain/decide.test.ts'

test.each([
  ['a service that imports a service', store, "import { x } from '@causeway/settlements'"],
  ['runtime that knows the hub', 'libs/runtime/src/a.ts', "import { x } from '@causeway/events'"],
  ['a deep import', store, "import { x } from '@causeway/money/src/a.ts'"],
  ['an import out of the package', store, "import { x } from '../../settlements/src/a.ts'"],
  ['a domain that imports runtime', domain, "import { x } from '@causeway/runtime'"],
  [
    'a domain that imports more than types of protos',
    domain,
    "import { x } from '@causeway/protos'",
  ],
  ['a domain that imports its store', domain, "import { x } from '../store.ts'"],
  ['a domain that reads the clock', domain, 'export const t = () => Date.now()'],
  ['a domain that makes a date of now', domain, 'export const t = () => new Date()'],
  ['a domain that waits', domain, 'export const f = async () => 1'],
  ['a domain that throws dice', domain, 'export const f = () => Math.random()'],
  ['SQL outside the store', 'services/transfers/src/handle.ts', "const s = 'select a from b'"],
  ['a pattern that begins anywhere in a run', store, String.raw`export const a = /\s*;/`],
  ['a pattern that ends anywhere in a run', store, String.raw`export const a = /\/+$/`],
  ['a pattern with a repeated repetition', store, String.raw`export const a = /^"(?:[^"]+)*"/`],
  ['a slow pattern of the bench', 'test-e2e/src/bench/a.ts', String.raw`export const a = /\s*;/`],
  ['a private word', store, '/** Whoever comes next. */'],
  ['a fragment as a test title', testOfDomain, "test('is refused', () => {})"],
  ['a fragment of a table', testOfDomain, "test.each([1])('of %s is refused', () => {})"],
  ['a vague folder', 'services/transfers/src/utils/a.ts', 'export const a = 1'],
])('%s is one breach', (_, path, line) => {
  expect(check(path, line)).toHaveLength(1)
})

test.each([
  [store, "const s = 'select a from b where c = $1'"],
  [store, "import { x } from '@causeway/money'"],
  [domain, "import { x } from '@causeway/money'"],
  [domain, "import type { X } from '@causeway/protos'"],
  [domain, 'export const later = (now: Date) => new Date(now.getTime() + 1)'],
  [store, String.raw`export const a = /^\w+\s*;\s*x$/`],
  [store, String.raw`export const a = /(?<!\/)\/+$/`],
  ['test-e2e/src/bench/database.ts', "const s = 'select a from b'"],
  ['services/admin/console/src/app.tsx', "import { x } from '@causeway/events/four-eyes'"],
  [testOfDomain, "test.each([1])('%s is refused', () => {})"],
  [testOfDomain, "describe('an amount', () => { test(`A ${x} is refused`, () => {}) })"],
  ['services/hub/src/start.ts', "import { start } from '@causeway/transfers'"],
])('%s may hold %s', (path, line) => {
  expect(check(path, line)).toEqual([])
})

test('A file without its promise and a long function are breaches', () => {
  const body = Array.from({ length: 70 }, (_, n) => `  f(${n})`)
  for (const path of [
    store,
    'services/admin/console/src/app.tsx',
    'test-e2e/src/hub/hub-host.ts',
  ]) {
    expect(check(path, 'function g() {', ...body, '}')[0]).toContain('a function of 72 lines')
  }
  expect(breaches(readFile(store, 'export const a = 1\n'))).toHaveLength(1)
})

test('A function of a test is as long as any other, a group of tests as long as its tests', () => {
  const body = Array.from({ length: 70 }, (_, n) => `  f(${n})`)
  const lengths = (first: string, last: string) =>
    longFunctions(readFile(testOfDomain, [first, ...body, last].join('\n')))
  expect(lengths("test('A rule holds', () => {", '})')).toEqual([{ line: 1, lines: 72 }])
  expect(lengths("describe('a rule', () => {", '})')).toEqual([])
  expect(lengths("describe.each([1])('a rule', () => {", '})')).toEqual([])
})
