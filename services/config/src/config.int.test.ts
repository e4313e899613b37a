import { randomBytes } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { approvalCalls, wordOf, type ApprovalCalls } from '@causeway/approvals/testing'
import { onEvents, type Payload } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import {
  configurationsService,
  type ApprovalAnswer,
  type ConfigurationSet,
  type Parameter,
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
let approvals: ApprovalCalls
let changed: Payload<'ConfigurationValuesChanged'>[]
let audited: Payload<'/audit-log-write'>[]
let stops: { stop(): Promise<void> }[]

beforeEach(async () => {
  parts = await openTestParts()
  service = await start({ ...defaultsOf(settings), CONFIG_SECRETS_KEY: secretsKey }, parts)
  configurations = parts.grpc.client(configurationsService, 'config')
  approvals = approvalCalls(parts.grpc, 'config')
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

const rate: Parameter = {
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

const kind = 'ConfigurationValues'

function change(values: Readonly<Record<string, unknown>>, iterationNumber = 0) {
  const newValues = Object.entries(values).map(([name, value]) => ({ name, value }))
  return { boundedContextId: 'edge', schemaVersion: '1.0.0', iterationNumber, newValues }
}

async function requested(values: Readonly<Record<string, unknown>>, iterationNumber = 0) {
  const { approval, refusal } = await approvals.request(kind, change(values, iterationNumber))
  if (!approval) throw new Error(refusal?.detail)
  return approval
}

/** Requested by ada and approved by grace. */
async function set(values: Readonly<Record<string, unknown>>, iterationNumber = 0): Promise<void> {
  expect(wordOf(await approvals.make(kind, change(values, iterationNumber)))).toBe('APPROVED')
}

function replacedBy({ replacesJson = 'null' }: NonNullable<ApprovalAnswer['approval']>): unknown {
  return JSON.parse(replacesJson)
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
  const { requestId, contentJson } = await requested({ rate_max: 7, NOTIFY: false })
  expect(JSON.parse(contentJson)).toEqual(change({ rate_max: 7, NOTIFY: false }))
  expect((await current())?.iterationNumber).toBe(0)
  await approvals.decide(kind, requestId)
  expect(await current()).toMatchObject({
    iterationNumber: 1,
    changedBy: 'ada',
    parameters: [{ currentJson: '7', isSet: true }],
    featureFlags: [{ currentValue: false, isSet: true }],
  })
  await eventually(() => changed.length === 1 && audited.length === 3, 'the events')
  expect(changed).toEqual([
    {
      boundedContextId: 'edge',
      schemaVersion: '1.0.0',
      iterationNumber: 1,
      changedKeys: ['RATE_MAX', 'NOTIFY'],
    },
  ])
  const entries = audited.map(({ actionType, securityContext, subject }) => [
    actionType,
    securityContext.userId,
    subject,
  ])
  expect(entries).toEqual([
    ['RegisterConfigurationSchema', 'edge', 'configurations/edge'],
    ['ChangeConfigurationValues', 'ada', 'configurations/edge'],
    ['ApproveConfigurationValues', 'grace', 'configurations/edge'],
  ])
  const newValues = { rate_max: 7, NOTIFY: false }
  expect(audited[1]?.after).toMatchObject({ newValues })
  expect(audited[2]?.after).toEqual({ request: 'APPROVED', newValues })
})

test('A rejected change leaves the values and publishes nothing', async () => {
  await registered()
  const { requestId } = await requested({ RATE_MAX: 7 })
  expect(wordOf(await approvals.decide(kind, requestId, { verdict: 'REJECT' }))).toBe('REJECTED')
  // The event of the next change is the first one.
  await set({ RATE_MAX: 8 })
  await eventually(() => changed.length > 0, 'an event')
  expect(changed.map(({ iterationNumber }) => iterationNumber)).toEqual([1])
  expect((await current())?.parameters[0]?.currentJson).toBe('8')
})

test('A change that is based on replaced values is refused', async () => {
  await registered()
  await set({ RATE_MAX: 7 })
  expect(wordOf(await approvals.request(kind, change({ RATE_MAX: 9 }, 0)))).toBe('STALE')
  await set({ RATE_MAX: null }, 1)
  expect(await current()).toMatchObject({
    iterationNumber: 2,
    parameters: [{ currentJson: '100', isSet: false }],
  })
})

test('A request shows what applies to its names, also where it is the default', async () => {
  await registered()
  const first = await requested({ rate_max: 7, NOTIFY: false })
  expect(replacedBy(first)).toEqual({ RATE_MAX: 100, NOTIFY: true })
  await approvals.decide(kind, first.requestId)
  expect(replacedBy(await requested({ RATE_MAX: null }, 1))).toEqual({ RATE_MAX: 7 })
})

test('A context has one pending request, beside those of other contexts', async () => {
  await registered()
  await registered({ boundedContextId: 'other' })
  const first = await requested({ RATE_MAX: 7 })
  expect(wordOf(await approvals.request(kind, change({ NOTIFY: false })))).toBe('REQUEST_PENDING')
  const beside = { ...change({ RATE_MAX: 8 }), boundedContextId: 'other' }
  const { approval: second } = await approvals.request(kind, beside)
  expect(await approvals.pending(kind)).toEqual([second, first])
})

test('A schema that replaces the one of a request makes the request outdated', async () => {
  await registered()
  const { requestId } = await requested({ RATE_MAX: 7 })
  await registered({ schemaVersion: '1.1.0' })
  expect(wordOf(await approvals.decide(kind, requestId))).toBe('STALE')
  expect(wordOf(await approvals.decide(kind, requestId, { verdict: 'REJECT' }))).toBe('REJECTED')
})

test('Another default of a name makes a request for that name outdated, and for no other', async () => {
  await registered()
  await registered({ boundedContextId: 'other' })
  const { requestId } = await requested({ RATE_MAX: 7 })
  const beside = { ...change({ NOTIFY: false }), boundedContextId: 'other' }
  const { approval } = await approvals.request(kind, beside)
  const parameters = [{ ...rate, defaultJson: '50' }]
  await registered({ parameters })
  await registered({ parameters, boundedContextId: 'other' })
  const { refusal } = await approvals.decide(kind, requestId)
  expect(refusal?.reason).toBe('STALE')
  expect(refusal?.detail).toContain('RATE_MAX was 100 and is 50')
  expect((await current())?.iterationNumber).toBe(0)
  expect(wordOf(await approvals.decide(kind, approval?.requestId ?? ''))).toBe('APPROVED')
})

test('What operators set and a newer schema has not is audited, and announced as a change', async () => {
  await registered()
  await set({ RATE_MAX: 7, NOTIFY: false })
  const newer = await registered({ schemaVersion: '1.1.0', featureFlags: [] })
  expect(newer).toMatchObject({ iterationNumber: 2, changedBy: 'edge' })
  await eventually(() => changed.length === 2, 'the event')
  expect(changed[1]).toEqual({
    boundedContextId: 'edge',
    schemaVersion: '1.1.0',
    iterationNumber: 2,
    changedKeys: ['NOTIFY'],
  })
  const entries = await eventually(() => {
    const found = audited.filter(({ actionType }) => actionType === 'RegisterConfigurationSchema')
    return found.length === 2 ? found : undefined
  }, 'the audit entries')
  expect(entries[1]?.before).toEqual({
    schemaVersion: '1.0.0',
    droppedValues: { NOTIFY: false },
  })
})

test.each([
  ['an integer out of the bounds of its JSON Schema', { RATE_MAX: 1_001 }],
  ['a value of another type', { RATE_MAX: 'many' }],
  ['an unknown name', { RATE: 7 }],
  ['no values', {}],
])('A request with %s is refused', async (_, values) => {
  await registered()
  expect(wordOf(await approvals.request(kind, change(values)))).toBe('INVALID')
  expect(await approvals.pending(kind)).toEqual([])
})

test.each([
  ['too long', ['x'.repeat(65_533)]],
  ['nested too deep', JSON.parse('['.repeat(101) + ']'.repeat(101)) as unknown],
])('A request with a list that is %s is refused', async (_, list) => {
  await registered({ parameters: [nested({})] })
  expect(wordOf(await approvals.request(kind, change({ LIST: list })))).toBe('INVALID')
})

test('A list of the greatest length and depth is set', async () => {
  const parameters = ['LONG', 'DEEP'].map((name) => ({ ...nested({}), name }))
  await registered({ parameters })
  const deep: unknown = JSON.parse('['.repeat(100) + ']'.repeat(100))
  const long = ['x'.repeat(65_532)]
  await set({ LONG: long, DEEP: deep })
  const values = (await current())?.parameters.map(({ currentJson }) => currentJson)
  expect(values).toEqual([deep, long].map((each) => JSON.stringify(each)))
})

test.each([
  ['a context with blanks', { boundedContextId: 'the edge' }],
  ['a version of two numbers', { schemaVersion: '1.0' }],
  ['a name twice', { parameters: [rate, { ...rate, name: 'rate_max' }] }],
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
  const list = { name: 'LIST', type: 'LIST', description: '', defaultJson: '[]' } as const
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
    ...schemaOf('config'),
    connections_max: 1,
  })
  stops.push({ stop: () => db.close() })
  const handlers = configurationHandlers({ db, bus: parts.bus })
  const call = (caller: string) => ({
    signal: new AbortController().signal,
    left_ms: () => 1_000,
    callers: [caller],
  })
  const refused = await handlers.RegisterConfigurationSchema(schema(), call('quoting'))
  expect(refused).toMatchObject({ refusal: { reason: 'NOT_OWNER' } })
  for (const caller of ['edge', 'admin']) {
    const answer = await handlers.RegisterConfigurationSchema(schema(), call(caller))
    expect(answer).toMatchObject({ configuration: { boundedContextId: 'edge' } })
  }
})
