/** A service follows what operators set, with the real config. */
import { randomBytes } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { approvalCalls, wordOf } from '@causeway/approvals/testing'
import { openLiveSettings } from '@causeway/live-settings'
import { choice, integer, type Service, text } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { configurationsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { newEvent } from '@causeway/events'
import { statement, type Database } from '@causeway/postgres'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings } from './settings.ts'

const definitions = {
  RATE_MAX: integer({
    about: 'sustained rate',
    unit: 'requests/s',
    default: 100,
    min: 1,
    max: 1_000,
    atRunTime: true,
  }),
  NOTIFY: choice({
    about: 'notify the payee FSP',
    options: ['on', 'off'],
    default: 'on',
    atRunTime: true,
  }),
  MODE: choice({
    about: 'how quotes are kept',
    options: ['stored', 'pass-through'],
    default: 'stored',
    atRunTime: true,
  }),
  FOLDER: text({ about: 'needs a restart', default: '' }),
}
const values = { ...defaultsOf(definitions), RATE_MAX: 50 }

const secretsKey = randomBytes(32).toString('base64url')

let parts: TestParts
let stops: { stop(): Promise<void> }[]

beforeEach(async () => {
  parts = await openTestParts()
  stops = []
})

afterEach(async () => {
  for (const each of stops.toReversed()) await each.stop()
  await parts.stop()
})

async function startConfig(): Promise<Service> {
  const service = await start({ ...defaultsOf(settings), CONFIG_SECRETS_KEY: secretsKey }, parts)
  stops.push(service)
  return service
}

async function open(schemaVersion = '1.0.0', known: typeof definitions = definitions) {
  const options = { service: 'quoting', schemaVersion, definitions: known, values } as const
  const live = await openLiveSettings(options, parts)
  stops.push(live)
  return live
}

async function stored() {
  const { GetConfiguration } = parts.grpc.client(configurationsService, 'config')
  const { configuration } = await GetConfiguration({ boundedContextId: 'quoting' })
  if (!configuration) throw new Error('quoting has registered nothing')
  return configuration
}

/** Requested by ada and approved by grace. */
async function set(newValues: Readonly<Record<string, unknown>>): Promise<void> {
  const { schemaVersion, iterationNumber } = await stored()
  const answer = await approvalCalls(parts.grpc, 'config').make('ConfigurationValues', {
    boundedContextId: 'quoting',
    schemaVersion,
    iterationNumber,
    newValues: Object.entries(newValues).map(([name, value]) => ({ name, value })),
  })
  expect(wordOf(answer)).toBe('APPROVED')
}

test('A service registers what changes at run time, with the values of its environment', async () => {
  await startConfig()
  const live = await open()
  expect(live.current).toBe(values)
  const { parameters, featureFlags } = await stored()
  expect(parameters).toMatchObject([
    { name: 'MODE', type: 'STRING', currentJson: '"stored"' },
    {
      name: 'RATE_MAX',
      type: 'INT_NUMBER',
      description: 'sustained rate (requests/s)',
      currentJson: '50',
      jsonSchema: '{"minimum":1,"maximum":1000}',
    },
  ])
  expect(featureFlags).toMatchObject([{ name: 'NOTIFY', currentValue: true }])
})

test('What operators set applies at once, and their way back leads to the environment', async () => {
  await startConfig()
  const live = await open()
  const seen: number[] = []
  live.onChange(({ RATE_MAX }) => void seen.push(RATE_MAX))
  await set({ RATE_MAX: 7, NOTIFY: false, MODE: 'pass-through' })
  await eventually(() => live.current.RATE_MAX === 7, 'the new rate')
  expect(live.current).toEqual({ ...values, RATE_MAX: 7, NOTIFY: 'off', MODE: 'pass-through' })
  await set({ RATE_MAX: null })
  await eventually(() => live.current.RATE_MAX === 50, 'the rate of the environment')
  expect(seen).toEqual([7, 50])
})

test('What operators have set applies from the start of the next process', async () => {
  await startConfig()
  await open()
  await set({ RATE_MAX: 7 })
  expect((await open()).current.RATE_MAX).toBe(7)
})

test('Without config the values of the environment apply until it answers', async () => {
  await startConfig()
  await open()
  await set({ RATE_MAX: 7 })
  for (const each of stops.splice(0).toReversed()) await each.stop()
  parts = await parts.restart()
  const live = await open()
  expect(live.current.RATE_MAX).toBe(50)
  await startConfig()
  await eventually(() => live.current.RATE_MAX === 7, 'the rate that operators set')
})

test('A process of the previous release reads the values that it knows and accepts', async () => {
  await startConfig()
  const wider = { ...definitions.RATE_MAX, max: 5_000 }
  await open('1.1.0', { ...definitions, RATE_MAX: wider })
  await set({ RATE_MAX: 4_000, NOTIFY: false })
  const previous = await open('1.0.0')
  expect(previous.current).toMatchObject({ RATE_MAX: 50, NOTIFY: 'off' })
})

/** The rows of the table of configurations, as a backup has them. */
async function withConfigurations<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await parts.openDatabase({
    url: '',
    ...schemaOf('config'),
    connections_max: 1,
  })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

const backUp = () =>
  withConfigurations((db) =>
    db.query(statement('create table backup as select * from configurations'), []),
  )
const restore = () =>
  withConfigurations((db) =>
    db.transaction(async (tx) => {
      await tx.query(statement('delete from configurations'), [])
      await tx.query(statement('insert into configurations select * from backup'), [])
    }),
  )

test('A running process follows a configuration that is older than its own, once config is restored', async () => {
  await startConfig()
  const live = await open()
  await set({ RATE_MAX: 7 })
  await backUp()
  await set({ RATE_MAX: 8 })
  await set({ RATE_MAX: 9 })
  await eventually(() => live.current.RATE_MAX === 9, 'the last rate')
  await restore()
  // The iteration is the one that the process knows, but the value is another.
  await set({ MODE: 'pass-through' })
  await eventually(() => live.current.MODE === 'pass-through', 'the mode set after the restore')
  expect(live.current.RATE_MAX).toBe(7)
})

test('A running process registers again at a config that was restored from before its schema', async () => {
  await startConfig()
  await backUp()
  const live = await open()
  await set({ RATE_MAX: 7 })
  await eventually(() => live.current.RATE_MAX === 7, 'the rate that operators set')
  await restore()
  const changed = {
    boundedContextId: 'quoting',
    schemaVersion: '1.0.0',
    iterationNumber: 5,
    changedKeys: [],
  }
  await parts.bus.publish([newEvent('config', 'ConfigurationValuesChanged', changed)])
  await eventually(() => live.current.RATE_MAX === 50, 'the rate of the environment')
  expect((await stored()).iterationNumber).toBe(0)
})
