import { randomUUID } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import { signRequest } from '@causeway/keys/components'
import { makeComponentKey, type TestComponentKey } from '@causeway/keys/components/testing'
import * as config from '@causeway/config'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld
let componentKey: TestComponentKey
/** A new one for each test. */
let context: string

beforeAll(async () => {
  admin = await openWorld([authService, config])
})

afterAll(() => admin.stop())

beforeEach(async () => {
  context = `c-${randomUUID().slice(0, 8)}`
  componentKey = await makeComponentKey()
  expect((await as(context)('POST', '/config/secrets/', names())).status).toBe(200)
  const { publicKey } = componentKey.key
  const registered = await as(context)('POST', '/component-keys', {
    boundedContextId: context,
    publicKey,
  })
  expect(registered).toMatchObject({ status: 200, json: { kid: componentKey.key.id } })
  componentKey.remove()
})

function names(version = '1.0.0') {
  const keys = [{ name: 'TOKEN', description: 'for the market', required: true }]
  return { boundedContextId: context, version, keys }
}

function as(person: string) {
  return (method: string, path: string, body?: unknown) =>
    admin.call(method, path, body, { 'x-operator': person })
}

function request(newValues: readonly object[], person = 'ada') {
  return as(person)('POST', `/config/secrets/${context}`, { newValues })
}

function decide(made: ApiResponse, person = 'grace', decision = 'APPROVE') {
  const { requestId } = made.json as { requestId: string }
  return as(person)('POST', '/ApproveSecretValues', { requestId, decision })
}

function headersOf(path = `/config/secrets/${context}/values`, at = new Date()) {
  const signed = signRequest(componentKey.key, context, { method: 'GET', path }, at)
  return {
    'x-bc-id': signed.signer,
    'x-timestamp': signed.timestamp,
    'x-nonce': signed.nonce,
    'x-signature': signed.signature,
  }
}

function read(headers: Readonly<Record<string, string>>, of = context) {
  return admin.call('GET', `/config/secrets/${of}/values`, undefined, headers)
}

function wordOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as { errorInformation?: { errorCode: string } }
  return `${status} ${errorInformation?.errorCode ?? ''}`.trim()
}

test('Registered secrets are shown by name, and not as set', async () => {
  const shown = {
    boundedContextId: context,
    version: '1.0.0',
    iterationNumber: 0,
    keys: [
      {
        name: 'TOKEN',
        description: 'for the market',
        required: true,
        isSet: false,
        lastChanged: null,
        lastChangedBy: null,
      },
    ],
  }
  expect((await admin.call('GET', `/config/secrets/${context}`)).json).toEqual(shown)
  expect((await admin.call('GET', '/config/secrets/')).json).toContainEqual(shown)
  expect(wordOf(await admin.call('GET', '/config/secrets/unknown'))).toBe('404 3200')
})

test('Another person approves a secret, and its component alone reads it', async () => {
  const made = await request([{ name: 'token', value: 'hidden-value' }])
  expect(made).toMatchObject({
    status: 202,
    json: {
      type: 'SecretValues',
      state: 'PEND-APPROVAL',
      change: { boundedContextId: context, set: ['token'], removed: [] },
    },
  })
  const list = await admin.call('GET', '/GetPendingSecretValues')
  expect(list.json).toContainEqual(made.json)
  expect(wordOf(await decide(made, 'ada'))).toBe('403 3000')
  const approved = await decide(made)
  expect(approved.json).toMatchObject({ state: 'APPROVED', decidedBy: 'grace' })
  expect((await read(headersOf())).json).toEqual({
    version: '1.0.0',
    iterationNumber: 1,
    secrets: [{ name: 'TOKEN', value: 'hidden-value' }],
  })
  const shown = await admin.call('GET', `/config/secrets/${context}`)
  expect(shown.json).toMatchObject({ keys: [{ isSet: true, lastChangedBy: 'ada' }] })
  const texts = [made, list, approved, shown].map(({ text }) => text).join()
  expect(texts).not.toContain('hidden-value')
})

test('A removed secret is no longer set', async () => {
  await decide(await request([{ name: 'TOKEN', value: 'hidden-value' }]))
  const made = await request([{ name: 'TOKEN', value: null }])
  expect(made.json).toMatchObject({ change: { set: [], removed: ['TOKEN'] } })
  await decide(made)
  expect((await read(headersOf())).json).toMatchObject({ secrets: [] })
})

test('A request without a signature, with a wrong one, an old one or a repeated one is 401', async () => {
  expect(wordOf(await read({}))).toBe('401 3000')
  const headers = headersOf()
  expect(wordOf(await read({ ...headers, 'x-nonce': 'n'.repeat(22) }))).toBe('401 3000')
  const old = headersOf(undefined, new Date(Date.now() - 61_000))
  expect(wordOf(await read(old))).toBe('401 3000')
  expect((await read(headers)).status).toBe(200)
  expect(wordOf(await read(headers))).toBe('401 3000')
})

test('A valid signature of another component is 403', async () => {
  const own = context
  const other = `${own}-other`
  const registered = await as(other)('POST', '/config/secrets', {
    ...names(),
    boundedContextId: other,
  })
  expect(registered.status).toBe(200)
  const path = `/config/secrets/${other}/values`
  expect(wordOf(await read(headersOf(path), other))).toBe('403 3000')
})

test.each([
  ['an unknown name', [{ name: 'OTHER', value: 'hidden-value' }], '400 3100'],
  ['a number', [{ name: 'TOKEN', value: 7 }], '400 3100'],
  ['a long value', [{ name: 'TOKEN', value: 'hidden'.repeat(3_000) }], '400 3100'],
  ['no values', [], '400 3100'],
])('A request with %s is refused without repeating it', async (_what, newValues, word) => {
  const refused = await request(newValues)
  expect(wordOf(refused)).toBe(word)
  expect(refused.text).not.toContain('hidden')
})

test('A component registers under its own name alone, so that none drops the secrets of another', async () => {
  await decide(await request([{ name: 'TOKEN', value: 'hidden-value' }]))
  const none = { boundedContextId: context, version: '9.0.0', keys: [] }
  expect(wordOf(await as('another')('POST', '/config/secrets', none))).toBe('403 3000')
  const { json } = await read(headersOf())
  expect(json).toMatchObject({ secrets: [{ name: 'TOKEN', value: 'hidden-value' }] })
})

test("The hub's own services register their own secrets and keys, and nothing else does", async () => {
  const ofHub = { ...names(), boundedContextId: 'notifications' }
  expect(wordOf(await as('notifications')('POST', '/config/secrets', ofHub))).toBe('403 3000')
  const { publicKey } = componentKey.key
  const key = { boundedContextId: 'notifications', publicKey }
  expect(wordOf(await as('notifications')('POST', '/component-keys', key))).toBe('403 3000')
})

test('A key is registered under the own name alone, shown, and revoked for good', async () => {
  const { publicKey, id: kid } = componentKey.key
  const body = { boundedContextId: context, publicKey }
  expect(wordOf(await as('ada')('POST', '/component-keys', body))).toBe('403 3000')
  expect((await admin.call('GET', '/component-keys')).json).toContainEqual(
    expect.objectContaining({ kid, boundedContextId: context, revokedDate: null }),
  )
  const revoked = await as('ada')('DELETE', `/component-keys/${kid}`)
  expect(revoked.json).toMatchObject({ kid, revokedBy: 'ada' })
  expect(wordOf(await as(context)('POST', '/component-keys', body))).toBe('400 3000')
  expect(wordOf(await as('ada')('DELETE', `/component-keys/${'k'.repeat(43)}`))).toBe('404 3200')
  const wrong = { ...body, publicKey: 'PEM' }
  expect(wordOf(await as(context)('POST', '/component-keys', wrong))).toBe('400 3100')
})
