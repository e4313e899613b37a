import { expect, test } from '@jest/globals'
import { breaches, importCircles, readFile } from './style-rules.mjs'

function check(path, ...lines) {
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
  ['a domain that imports its store', domain, "import { x } from '../store.ts'"],
  ['a domain that reads the clock', domain, 'export const t = () => Date.now()'],
  ['a domain that makes a date of now', domain, 'export const t = () => new Date()'],
  ['a domain that waits', domain, 'export const f = async () => 1'],
  ['a domain that throws dice', domain, 'export const f = () => Math.random()'],
  ['SQL outside the store', 'services/transfers/src/handle.ts', "const s = 'select a from b'"],
  ['any', store, 'export const a: any = 1'],
  ['a float of money', store, 'export const a = parseFloat(b)'],
  ['console', store, 'console.log(1)'],
  ['the environment', store, 'export const a = process.env.A'],
  ['a pattern that begins anywhere in a run', store, String.raw`export const a = /\s*;/`],
  ['a pattern that ends anywhere in a run', store, String.raw`export const a = /\/+$/`],
  ['a pattern with a repeated repetition', store, String.raw`export const a = /^"(?:[^"]+)*"/`],
  ['any in the console', 'services/admin/console/src/app.tsx', 'export const a: any = 1'],
  ['console around the hub', 'test-e2e/src/bench/page.ts', 'console.log(1)'],
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
  [domain, 'export const later = (now: Date) => new Date(now.getTime() + 1)'],
  [store, String.raw`export const a = /^\w+\s*;\s*x$/`],
  [store, String.raw`export const a = /(?<!\/)\/+$/`],
  ['test-e2e/src/bench/page.ts', 'export const a = process.env.A ?? b.toFixed(2)'],
  ['test-e2e/src/bench/database.ts', "const s = 'select a from b'"],
  ['services/admin/console/src/app.tsx', "import { x } from '@causeway/events/four-eyes'"],
  [testOfDomain, "test.each([1])('%s is refused', () => {})"],
  [testOfDomain, "describe('an amount', () => { test(`A ${x} is refused`, () => {}) })"],
  ['services/hub/src/start.ts', "import { start } from '@causeway/transfers'"],
])('%s may hold %s', (path, line) => {
  expect(check(path, line)).toEqual([])
})

test('A file without its promise, a long file and a long function are breaches', () => {
  const long = Array.from({ length: 401 }, (_, n) => `export const a${n} = ${n}`)
  expect(check(store, ...long)[0]).toContain('402 lines')
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

test('A circle of imports is named once', () => {
  const a = readFile('libs/money/src/a.ts', "import { b } from './b.ts'\n")
  const b = readFile('libs/money/src/b.ts', "import { a } from './a.ts'\n")
  expect(importCircles([a, b])).toEqual([
    'libs/money/src/a.ts -> libs/money/src/b.ts -> libs/money/src/a.ts',
  ])
})
