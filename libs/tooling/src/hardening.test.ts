/** The hardening guide is that of the settings that the programs read. */
import { expect, test } from '@jest/globals'
import { relaxations } from '@causeway/process'
import { advice, hardeningPage, readHardeningPage } from './hardening.ts'
import { hubSettings } from './settings-reference.ts'

const advised = Object.values(advice).flatMap((rows) => Object.entries(rows))

test('The page docs/hardening.md is what the settings and the advice make', () => {
  // `npm run docs` writes the page.
  expect(readHardeningPage()).toBe(hardeningPage())
})

test('The hardening guide advises on settings that exist, by name or by its end', () => {
  const names = Object.keys(hubSettings)
  const isKnown = (name: string) =>
    name.startsWith('*') ? names.some((each) => each.endsWith(name.slice(1))) : names.includes(name)
  expect(advised.map(([name]) => name).filter((name) => !isKnown(name))).toEqual([])
})

test('The hardening guide names a choice by one of its options', () => {
  const wrong = advised.filter(([name, { set }]) => {
    const definition = hubSettings[name]
    return definition?.kind === 'choice' && !definition.options.includes(set)
  })
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('Each relaxation is named by a setting and its value, and the page says how far it may be reached', () => {
  const page = hardeningPage()
  for (const name of Object.keys(relaxations)) {
    expect(page).toContain(`\n| \`${name}\` | `)
    const [setting = '', value] = name.split('=')
    const definition = hubSettings[setting]
    // Those of addresses are found in them, and the role of a database is that of its URL.
    const isFound = setting.endsWith('_URL') || setting === 'DATABASE_ROLE'
    expect(isFound || definition !== undefined ? name : '').toBe(name)
    if (definition?.kind === 'choice') expect(definition.options).toContain(value)
  }
})

test('No default relaxes anything beyond this machine', () => {
  const names = Object.keys(relaxations).filter((name) => {
    const [setting = '', value] = name.split('=')
    const definition = hubSettings[setting]
    return definition?.kind === 'choice' && definition.default === value
  })
  // It is refused on any address but a loopback one, and off this machine Kafka is refused without TLS.
  expect(names.toSorted()).toEqual([
    'KAFKA_SASL_MECHANISM=none',
    'KAFKA_TLS=off',
    'OPERATOR_TLS=off',
  ])
})

test('Every setting with a choice is in the hardening guide', () => {
  const page = hardeningPage()
  const missing = Object.entries(hubSettings)
    .filter(([, { kind }]) => kind === 'choice')
    .map(([name]) => name)
    .filter((name) => !page.includes(`\n| \`${name}\` | `))
  expect(missing).toEqual([])
})
