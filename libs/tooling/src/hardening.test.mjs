/** The hardening guide is that of the settings that the programs read. */
import { expect, test } from '@jest/globals'
import { advice, definitionsOf, hardeningPage, readHardeningPage } from './hardening.mjs'
import { loadSettings } from './settings-reference.mjs'

const all = await loadSettings((folder, name) => import(`../../../${folder}/src/${name}.ts`))
const definitions = definitionsOf(all)
const advised = Object.values(advice).flatMap((rows) => Object.entries(rows))

test('The page docs/hardening.md is what the settings and the advice make', () => {
  // `npm run docs` after a build writes the page.
  expect(readHardeningPage()).toBe(hardeningPage(all))
})

test('The hardening guide advises on settings that exist, by name or by its end', () => {
  const names = Object.keys(definitions)
  const isKnown = (name) =>
    name.startsWith('*') ? names.some((each) => each.endsWith(name.slice(1))) : names.includes(name)
  expect(advised.map(([name]) => name).filter((name) => !isKnown(name))).toEqual([])
})

test('The hardening guide names a choice by one of its options', () => {
  const wrong = advised.filter(([name, { set }]) => {
    const { kind, options } = definitions[name] ?? {}
    return kind === 'choice' && !options.includes(set)
  })
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('Every setting with a choice is in the hardening guide', () => {
  const page = hardeningPage(all)
  const missing = Object.entries(definitions)
    .filter(([, { kind }]) => kind === 'choice')
    .map(([name]) => name)
    .filter((name) => !page.includes(`\n| \`${name}\` | `))
  expect(missing).toEqual([])
})
