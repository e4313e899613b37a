import { afterEach, expect, test } from '@jest/globals'
import fc from 'fast-check'

const { PROPERTY_RUNS, PROPERTY_SEED } = process.env
const settingsOfRun = fc.readConfigureGlobal()
let imports = 0

afterEach(() => {
  restore('PROPERTY_RUNS', PROPERTY_RUNS)
  restore('PROPERTY_SEED', PROPERTY_SEED)
  fc.configureGlobal(settingsOfRun)
})

function restore(name, value) {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

/** The cases that a property tries with these settings. */
async function casesOf(settings, parameters) {
  for (const [name, value] of Object.entries(settings)) restore(name, value)
  const { default: own } = await import(`./fast-check.mjs?${++imports}`)
  const cases = []
  await own.assert(
    own.property(own.nat(), (n) => void cases.push(n)),
    parameters,
  )
  return cases
}

test('A property tries a hundred cases, or as many as it names', async () => {
  expect(await casesOf({ PROPERTY_RUNS: undefined })).toHaveLength(100)
  expect(await casesOf({ PROPERTY_RUNS: undefined }, { numRuns: 8 })).toHaveLength(8)
})

test('PROPERTY_RUNS sets how many cases a property tries', async () => {
  expect(await casesOf({ PROPERTY_RUNS: '400' })).toHaveLength(400)
})

test('PROPERTY_RUNS changes in proportion what a property names', async () => {
  expect(await casesOf({ PROPERTY_RUNS: '400' }, { numRuns: 8 })).toHaveLength(32)
  expect(await casesOf({ PROPERTY_RUNS: '10' }, { numRuns: 8 })).toHaveLength(1)
})

test('Every run tries the same cases, and with another PROPERTY_SEED others', async () => {
  const settings = { PROPERTY_RUNS: undefined, PROPERTY_SEED: undefined }
  const ofSeven = { ...settings, PROPERTY_SEED: '7' }
  expect(await casesOf(settings)).toEqual(await casesOf(settings))
  expect(await casesOf(ofSeven)).toEqual(await casesOf(ofSeven))
  expect(await casesOf(ofSeven)).not.toEqual(await casesOf(settings))
})

test('With PROPERTY_SEED=random every run tries other cases', async () => {
  const settings = { PROPERTY_RUNS: undefined, PROPERTY_SEED: 'random' }
  expect(await casesOf(settings)).not.toEqual(await casesOf(settings))
})

test('Every test that imports fast-check gets it with these settings', async () => {
  const mapped = await import('fast-check')
  const own = await import('./fast-check.mjs')
  expect(mapped.assert).toBe(own.assert)
})
