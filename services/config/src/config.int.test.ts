import { randomBytes, randomUUID } from 'node:crypto'
import { onEvents, type Payload } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import {
  configurationChangesService,
  configurationsService,
  type ConfigurationSet,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { configurationHandlers } from './serve.ts'
import { start } from './service.ts'
import { settings } from './settings.ts'

const secretsKey = randomBytes(32).toString('base64url')

let parts: TestParts
let service: Service
let configurations: Calls<typeof configurationsService>
let changes: Calls<typeof configurationChangesService>
let changed: Payload<'ConfigurationValuesChanged'>[]
let audited: Payload<'/audit-log-write'>[]
let stops: { stop(): Promise<void> }[]

beforeEach(async () => {
  parts = await openTestParts()
  service = await start({ ...defaultsOf(settings), CONFIG_SECRETS_KEY: secretsKey }, parts)
  configurations = parts.grpc.client(configurationsService, 'config')
  changes = parts.grpc.client(configurationChangesService, 'config')
  changed = []
  audited = []
  stops = [
    await onEvents(parts.bus, 'test_changes', ['ConfigurationValuesChanged'], (events) => {
      changed.push(...events.map(({ payload }) => payload))
      return Promise.resolve()
    }),
    await onEvents(parts.bus, 'test_audit', ['/audit-log-write'], (events) => {
      const ofComponents = events.filter(({ payload }) => !payload.subject.endsWith('/GLOBAL'))
      audited.push(...ofComponents.map(({ payload }) => payload))
      return Promise.resolve()
    }),
  ]
})

afterEach(async () => {
  for (const each of stops) await each.stop()
  await service.stop()
  await parts.stop()
})

const rate = {
  name: 'RATE_MAX',
  type: 'INT_NUMBER',
  description: 'requests per second',
  defaultJson: '100',
  jsonSchema: '{"minimum":1,"maximum":1000}',
  currentJson: '',
  isSet: false,
}
const notify = {
  name: 'NOTIFY',
  description: 'notify the payee FSP',
  defaultValue: true,
  currentValue: false,
  isSet: false,
}

function schema(values: Partial<ConfigurationSet> = {}): ConfigurationSet {
  return {
    boundedContextId: 'edge',
    schemaVersion: '1.0.0',
    iterationNumber: 0,
    parameters: [rate],
    featureFlags: [notify],
    ...values,
  }
}

async function registered(values: Partial<ConfigurationSet> = {}) {
  const { configuration, refusal } = await configurations.RegisterConfigurationSchema(
    schema(values),
  )
  if (!configuration) throw new Error(refusal?.detail)
  return configuration
}

function request(values: Readonly<Record<string, unknown>>, iterationNumber = 0, actor = 'ada') {
  const newValues = Object.entries(values).map(([name, value]) => ({
    name,
    valueJson: JSON.stringify(value),
  }))
  return {
    requestId: randomUUID(),
    type: 'ConfigurationValues',
    boundedContextId: 'edge',
    schemaVersion: '1.0.0',
    iterationNumber,
    newValues,
    actor,
  }
}

function decide(requestId: string, actor = 'grace', decision = 'APPROVE') {
  const type = 'ConfigurationValues'
  return changes.DecideConfigurationChange({ requestId, type, decision, note: '', actor })
}

/** Requested by ada and approved by grace. */
async function set(values: Readonly<Record<string, unknown>>, iterationNumber = 0): Promise<void> {
  const asked = request(values, iterationNumber)
  const answer = await changes.RequestConfigurationChange(asked)
  expect(answer.refusal ?? null).toBeNull()
  expect((await decide(asked.requestId)).request?.state).toBe('APPROVED')
}

/** Without the set of the scheme. */
async function registeredContexts(): Promise<readonly string[]> {
  const { configurations: all } = await configurations.ListConfigurations({})
  return all.map(({ boundedContextId }) => boundedContextId).filter((name) => name !== 'GLOBAL')
}

async function current() {
  const { configuration } = await configurations.GetConfiguration({ boundedContextId: 'edge' })
  return configuration
}

test('A registered schema is read with its defaults at iteration 0', async () => {
  await registered()
  expect(await current()).toMatchObject({
    ...schema(),
    parameters: [{ ...rate, currentJson: '100' }],
    featureFlags: [{ ...notify, currentValue: true }],
  })
  expect((await current())?.changedAt).toBeUndefined()
  expect(await registeredContexts()).toEqual(['edge'])
  const unknown = await configurations.GetConfiguration({ boundedContextId: 'other' })
  expect(unknown.refusal?.reason).toBe('CONTEXT_UNKNOWN')
})

test('Concurrent registrations of one context give one schema', async () => {
  const answers = await Promise.all([registered(), registered(), registered()])
  expect(answers.map(({ iterationNumber }) => iterationNumber)).toEqual([0, 0, 0])
})

test('A value changes when another person approves, with the event and the audit entries', async () => {
  await registered()
  const asked = request({ rate_max: 7, NOTIFY: false })
  expect((await changes.RequestConfigurationChange(asked)).request).toMatchObject({
    state: 'PEND-APPROVAL',
    createdBy: 'ada',
  })
  expect((await current())?.iterationNumber).toBe(0)
  expect((await decide(asked.requestId, 'ada')).refusal?.reason).toBe('SAME_PERSON')
  expect((await decide(asked.requestId)).request).toMatchObject({ decidedBy: 'grace' })
  expect(await current()).toMatchObject({
    iterationNumber: 1,
    changedBy: 'ada',
    parameters: [{ currentJson: '7', isSet: true }],
    featureFlags: [{ currentValue: false, isSet: true }],
  })
  await eventually(() => changed.length === 1 && audited.length === 4, 'the events')
  expect(changed).toEqual([
    {
      boundedContextId: 'edge',
      schemaVersion: '1.0.0',
      iterationNumber: 1,
      changedKeys: ['RATE_MAX', 'NOTIFY'],
    },
  ])
  const entries = audited.map(({ actionType, actionSuccessful, securityContext }) => [
    actionType,
    securityContext.userId,
    actionSuccessful,
  ])
  expect(entries).toEqual([
    ['RegisterConfigurationSchema', 'edge', true],
    ['ChangeConfigurationValues', 'ada', true],
    ['ApproveConfigurationValues', 'ada', false],
    ['ApproveConfigurationValues', 'grace', true],
  ])
})

test('A rejected change leaves the values and publishes nothing', async () => {
  await registered()
  const asked = request({ RATE_MAX: 7 })
  await changes.RequestConfigurationChange(asked)
  expect((await decide(asked.requestId, 'grace', 'REJECT')).request?.state).toBe('REJECTED')
  expect((await decide(asked.requestId)).refusal?.reason).toBe('REQUEST_DECIDED')
  // The event of the next change is the first one.
  await set({ RATE_MAX: 8 })
  await eventually(() => changed.length > 0, 'an event')
  expect(changed.map(({ iterationNumber }) => iterationNumber)).toEqual([1])
  expect((await current())?.parameters[0]?.currentJson).toBe('8')
})

test('A change that is based on replaced values is refused', async () => {
  await registered()
  await set({ RATE_MAX: 7 })
  const stale = await changes.RequestConfigurationChange(request({ RATE_MAX: 9 }, 0))
  expect(stale.refusal?.reason).toBe('STALE')
  await set({ RATE_MAX: null }, 1)
  expect(await current()).toMatchObject({
    iterationNumber: 2,
    parameters: [{ currentJson: '100', isSet: false }],
  })
})

test('Equal requests at the same time are one request', async () => {
  await registered()
  const asked = request({ RATE_MAX: 7 })
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => changes.RequestConfigurationChange(asked)),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]?.request?.state).toBe('PEND-APPROVAL')
})

test('A context has one pending request, and a repeated one is answered with what is stored', async () => {
  await registered()
  const asked = request({ RATE_MAX: 7 })
  const first = await changes.RequestConfigurationChange(asked)
  expect(await changes.RequestConfigurationChange(asked)).toEqual(first)
  const other = await changes.RequestConfigurationChange(request({ NOTIFY: false }))
  expect(other.refusal?.reason).toBe('REQUEST_PENDING')
  const reused = { ...asked, newValues: [{ name: 'RATE_MAX', valueJson: '8' }] }
  expect((await changes.RequestConfigurationChange(reused)).refusal?.reason).toBe('MODIFIED')
  const pending = { type: 'ConfigurationValues', state: 'PEND-APPROVAL' }
  const { requests } = await changes.ListConfigurationChanges(pending)
  expect(requests).toEqual([first.request])
})

test('A schema that replaces the one of a request makes the request outdated', async () => {
  await registered()
  const asked = request({ RATE_MAX: 7 })
  await changes.RequestConfigurationChange(asked)
  await registered({ schemaVersion: '1.1.0' })
  expect((await decide(asked.requestId)).refusal?.reason).toBe('STALE')
  expect((await decide(asked.requestId, 'grace', 'REJECT')).request?.state).toBe('REJECTED')
})

test.each([
  ['an integer out of the bounds of its JSON Schema', { RATE_MAX: 1_001 }],
  ['a value of another type', { RATE_MAX: 'many' }],
  ['an unknown name', { RATE: 7 }],
  ['no values', {}],
])('A request with %s is refused', async (_, values) => {
  await registered()
  const { refusal } = await changes.RequestConfigurationChange(request(values))
  expect(refusal?.reason).toBe('INVALID')
})

test.each([
  ['a context with blanks', { boundedContextId: 'the edge' }],
  ['a version of two numbers', { schemaVersion: '1.0' }],
  ['a name twice', { parameters: [rate, { ...rate, name: 'rate_max' }] }],
  ['an unknown type', { parameters: [{ ...rate, type: 'NUMBER' }] }],
  ['a default out of its bounds', { parameters: [{ ...rate, defaultJson: '0' }] }],
  ['a JSON Schema with a pattern', { parameters: [{ ...rate, jsonSchema: '{"pattern":"a"}' }] }],
  ['a pattern for the elements of a list', { parameters: [nested({ items: { pattern: 'a' } })] }],
  [
    'a pattern for a member',
    { parameters: [nested({ anyOf: [{ properties: { pattern: { pattern: 'a' } } }] })] },
  ],
  ['a reference in a definition', { parameters: [nested({ $defs: { one: { $ref: '#' } } })] }],
  ['a JSON Schema that is nested too deep', { parameters: [nested(nestedIn(30))] }],
  ['a JSON Schema that is too long', { parameters: [nested({ title: 'x'.repeat(70_000) })] }],
  ['a JSON Schema that is not JSON', { parameters: [{ ...rate, jsonSchema: '{' }] }],
])('A schema with %s is refused', async (_, values) => {
  const { refusal } = await configurations.RegisterConfigurationSchema(schema(values))
  expect(refusal?.reason).toBe('INVALID')
  expect(await registeredContexts()).toEqual([])
})

/** A parameter whose default satisfies any of these schemas. */
function nested(jsonSchema: object) {
  const list = { name: 'LIST', type: 'LIST', description: '', defaultJson: '[]' }
  return { ...list, jsonSchema: JSON.stringify(jsonSchema), currentJson: '', isSet: false }
}

function nestedIn(depth: number): object {
  return depth === 0 ? {} : { items: nestedIn(depth - 1) }
}

test('A member may be called like a keyword that is not taken', async () => {
  const jsonSchema = { items: { type: 'object', properties: { pattern: { type: 'string' } } } }
  const { refusal } = await configurations.RegisterConfigurationSchema(
    schema({ parameters: [nested(jsonSchema)] }),
  )
  expect(refusal).toBeFalsy()
})

test('A service registers only its own context, and admin any', async () => {
  const db = await parts.openDatabase({
    url: '',
    schema: 'config',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: 1,
  })
  stops.push({ stop: () => db.close() })
  const handlers = configurationHandlers({ db, bus: parts.bus })
  const call = (caller: string) => ({
    signal: new AbortController().signal,
    left_ms: () => 1_000,
    caller,
  })
  const refused = await handlers.RegisterConfigurationSchema(schema(), call('quoting'))
  expect(refused).toMatchObject({ refusal: { reason: 'NOT_OWNER' } })
  for (const caller of ['edge', 'admin']) {
    const answer = await handlers.RegisterConfigurationSchema(schema(), call(caller))
    expect(answer).toMatchObject({ configuration: { boundedContextId: 'edge' } })
  }
})
