import { randomUUID } from 'node:crypto'
import * as config from '@causeway/config'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld
/** A new one for each test. */
let context: string

beforeAll(async () => {
  admin = await openWorld([config])
})

afterAll(() => admin.stop())

beforeEach(async () => {
  context = `c-${randomUUID().slice(0, 8)}`
  expect((await as(context)('POST', '/config/schemas/', schema())).status).toBe(200)
})

const rate = {
  name: 'RATE_MAX',
  type: 'INT_NUMBER',
  description: 'requests per second',
  defaultValue: 100,
  jsonSchema: { minimum: 1, maximum: 1_000 },
}
const fees = {
  name: 'FEES',
  type: 'OBJECT',
  description: 'by currency',
  defaultValue: { USD: 0.5, list: [1, '2', null] },
}
const notify = { name: 'NOTIFY', description: 'notify the payee FSP', defaultValue: true }

function schema(schemaVersion = '1.0.0') {
  return {
    boundedContextId: context,
    schemaVersion,
    parameters: [rate, fees],
    featureFlags: [notify],
  }
}

function as(person: string) {
  return (method: string, path: string, body?: unknown) =>
    admin.call(method, path, body, { 'x-operator': person })
}

function change(newValues: readonly object[], iterationNumber = 0) {
  const body = { schemaVersion: '1.0.0', iterationNumber, newValues }
  return as('ada')('POST', `/config/schemas/${context}`, body)
}

function decide(made: ApiResponse, person = 'grace', decision = 'APPROVE') {
  const { requestId } = made.json as { requestId: string }
  return as(person)('POST', '/ApproveConfigurationValues', { requestId, decision })
}

function wordOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as { errorInformation?: { errorCode: string } }
  return `${status} ${errorInformation?.errorCode ?? ''}`.trim()
}

test('A registered schema is shown with its values, alone and in the list', async () => {
  const shown = {
    boundedContextId: context,
    schemaVersion: '1.0.0',
    iterationNumber: 0,
    parameters: [
      { ...fees, currentValue: fees.defaultValue, isSet: false },
      { ...rate, currentValue: 100, isSet: false },
    ],
    featureFlags: [{ ...notify, currentValue: true, isSet: false }],
  }
  expect((await admin.call('GET', `/config/schemas/${context}`)).json).toEqual(shown)
  expect((await admin.call('GET', '/config/schemas/')).json).toContainEqual(shown)
  expect(wordOf(await admin.call('GET', '/config/schemas/unknown'))).toBe('404 3200')
})

test('The same version changes nothing, a higher one replaces it, and a lower one is refused', async () => {
  const again = await as(context)('POST', '/config/schemas', schema())
  expect(again.json).toEqual({ schemaVersion: '1.0.0', iterationNumber: 0 })
  const { boundedContextId: _, ...higher } = schema('1.1.0')
  const replaced = await as(context)('POST', `/config/schemas/${context}`, higher)
  expect(replaced.json).toMatchObject({ schemaVersion: '1.1.0' })
  expect(wordOf(await as(context)('POST', '/config/schemas', schema()))).toBe('409 3000')
})

test('A parameter without its default, and a new value without value, are missing', async () => {
  const { defaultValue: _, ...without } = rate
  const registration = { ...schema('2.0.0'), parameters: [without] }
  expect(wordOf(await as(context)('POST', '/config/schemas', registration))).toBe('400 3102')
  expect(wordOf(await change([{ name: 'RATE_MAX' }]))).toBe('400 3102')
})

test('Another person approves a change of values', async () => {
  const made = await change([
    { name: 'RATE_MAX', value: 7 },
    { name: 'notify', value: false },
  ])
  expect(made.status).toBe(202)
  expect(made.json).toMatchObject({
    type: 'ConfigurationValues',
    state: 'PEND-APPROVAL',
    createdBy: 'ada',
    change: { boundedContextId: context, newValues: [{ name: 'RATE_MAX', value: 7 }, {}] },
  })
  const list = await admin.call('GET', '/GetPendingConfigurationValues')
  expect(list.json).toContainEqual(made.json)
  expect(wordOf(await decide(made, 'ada'))).toBe('403 3000')
  expect((await decide(made)).json).toMatchObject({ state: 'APPROVED', decidedBy: 'grace' })
  expect((await admin.call('GET', `/config/schemas/${context}`)).json).toMatchObject({
    iterationNumber: 1,
    changedBy: 'ada',
    parameters: [{}, { name: 'RATE_MAX', currentValue: 7, isSet: true }],
    featureFlags: [{ currentValue: false, isSet: true }],
  })
})

test('A rejected change leaves the values', async () => {
  const made = await change([{ name: 'RATE_MAX', value: 7 }])
  expect((await decide(made, 'grace', 'REJECT')).json).toMatchObject({ state: 'REJECTED' })
  expect((await admin.call('GET', `/config/schemas/${context}`)).json).toMatchObject({
    iterationNumber: 0,
  })
})

test('A change is refused that is based on older values, or while another one is pending', async () => {
  const first = await change([{ name: 'RATE_MAX', value: 7 }])
  expect(wordOf(await change([{ name: 'RATE_MAX', value: 8 }]))).toBe('400 3000')
  await decide(first)
  expect(wordOf(await change([{ name: 'RATE_MAX', value: 8 }]))).toBe('409 3000')
  expect(wordOf(await change([{ name: 'RATE_MAX', value: null }], 1))).toBe('202')
})

test.each([
  ['a value out of its bounds', [{ name: 'RATE_MAX', value: 1_001 }]],
  ['a text for a number', [{ name: 'RATE_MAX', value: '7' }]],
  ['an unknown name', [{ name: 'RATE', value: 7 }]],
  ['no values', []],
])('A change with %s is refused', async (_, newValues) => {
  expect(wordOf(await change(newValues))).toMatch(/^400 31/)
})

test('A component registers under its own name alone', async () => {
  const { json: before } = await admin.call('GET', `/config/schemas/${context}`)
  const fewer = { ...schema('9.0.0'), parameters: [] }
  expect(wordOf(await as('another')('POST', '/config/schemas', fewer))).toBe('403 3000')
  expect((await admin.call('GET', `/config/schemas/${context}`)).json).toEqual(before)
})

test("The hub's own services register themselves, and nobody does it for them", async () => {
  const body = { ...schema(), boundedContextId: 'fspiop-api' }
  expect(wordOf(await as('fspiop-api')('POST', '/config/schemas', body))).toBe('403 3000')
})
