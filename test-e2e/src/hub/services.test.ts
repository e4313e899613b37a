import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { providers } from './services.ts'

interface Charted {
  readonly calls: readonly string[]
}

const byName = (one: string, other: string) => one.localeCompare(other)

test('services that run apart in tests call those that they call where the chart installs them', () => {
  const file = new URL('../../../helm/causeway/services.yaml', import.meta.url)
  const charted = parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Charted>>
  // Replicas of one service that call each other find one another by other means in tests.
  const callsOf = Object.entries(charted).map(([name, { calls }]) => [
    name,
    calls.filter((call) => call !== name).toSorted(byName),
  ])
  const inTests = Object.entries(providers).map(([name, calls]) => [name, calls.toSorted(byName)])
  expect(Object.fromEntries(inTests)).toEqual(Object.fromEntries(callsOf))
})
