/** The hardening guide is that of the settings that the programs read. */
import { expect, test } from '@jest/globals'
import { advice, definitionsOf, hardeningPage, readHardeningPage } from './hardening.mjs'
import { relaxations } from '../../process/src/settings/relaxations.ts'
import { loadSettings } from './settings-reference.mjs'

const all = await loadSettings((folder, name) => import(`../../../${folder}/src/${name}.ts`))
const definitions = definitionsOf(all)
const advised = Object.values(advice).flatMap((rows) => Object.entries(rows))

test('The page docs/hardening.md is what the settings and the advice make', () => {
  // `npm run docs` after a build writes the page.
  expect(readHardeningPage()).toBe(hardeningPage(all, relaxations))
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

test('Each relaxation is named by a setting and its value, and the page says how far it may be reached', () => {
  const page = hardeningPage(all, relaxations)
  for (const name of Object.keys(relaxations)) {
    expect(page).toContain(`\n| \`${name}\` | `)
    const [setting, value] = name.split('=')
    const definition = definitions[setting]
    // Those of addresses are found in them, and the role of a database is that of its URL.
    const isFound = setting.endsWith('_URL') || setting === 'DATABASE_ROLE'
    expect(isFound || definition !== undefined ? name : '').toBe(name)
    if (definition?.kind === 'choice') expect(definition.options).toContain(value)
  }
})

test('No default relaxes anything beyond this machine', () => {
  const names = Object.keys(relaxations).filter((name) => {
    const [setting, value] = name.split('=')
    return definitions[setting]?.kind === 'choice' && definitions[setting].default === value
  })
  // It is refused on any address but a loopback one, and off this machine Kafka is refused without TLS.
  expect(names.toSorted()).toEqual([
    'KAFKA_SASL_MECHANISM=none',
    'KAFKA_TLS=off',
    'OPERATOR_TLS=off',
  ])
})

test('Every setting with a choice is in the hardening guide', () => {
  const page = hardeningPage(all, relaxations)
  const missing = Object.entries(definitions)
    .filter(([, { kind }]) => kind === 'choice')
    .map(([name]) => name)
    .filter((name) => !page.includes(`\n| \`${name}\` | `))
  expect(missing).toEqual([])
})
