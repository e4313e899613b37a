import { openKnownKeys, openOwnKey, type KnownKeys } from '@causeway/keys/components'
import { makeComponentKey, type TestComponentKey } from '@causeway/keys/components/testing'
import { onEvents, type Payload } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import type { Service } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { componentKeysService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { start } from '../../service.ts'
import { authSettings, ownDatabase } from '../../testing/world.ts'
import { serveComponentKeys } from './serve.ts'
import { allComponentKeys } from './store.ts'

let parts: TestParts
let registry: Calls<typeof componentKeysService>
let stops: { stop(): Promise<unknown> }[]
let changed: Payload<'ComponentKeysChanged'>[]
let audited: Payload<'/audit-log-write'>[]
let made: TestComponentKey

beforeEach(async () => {
  parts = await openTestParts()
  made = await makeComponentKey()
  registry = parts.grpc.client(componentKeysService, 'auth-service')
  stops = []
  changed = []
  audited = []
  await onEvents(parts.bus, 'test_keys', ['ComponentKeysChanged'], (events) => {
    changed.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  await onEvents(parts.bus, 'test_audit', ['/audit-log-write'], (events) => {
    audited.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
})

afterEach(async () => {
  for (const each of stops.toReversed()) await each.stop()
  await parts.stop()
  made.remove()
})

async function startAuthService(given: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await start(authSettings(given), parts)
  stops.push(service)
  return service
}

async function openKeys(): Promise<KnownKeys> {
  const { grpc, bus, log } = parts
  const keys = await openKnownKeys({ group: 'audit', grpc, bus, log })
  stops.push(keys)
  return keys
}

function register(boundedContextId: string, { key }: TestComponentKey) {
  return registry.RegisterComponentKey({ boundedContextId, publicKey: key.publicKey })
}

test('A service registers its key at its start, as soon as auth-service answers', async () => {
  const own = await openOwnKey('quoting', made.file, parts)
  stops.push(own)
  expect(own.key?.id).toBe(made.key.id)
  await startAuthService()
  await eventually(async () => (await registry.GetComponentKeys({})).keys.length === 1, 'the key')
  expect((await registry.GetComponentKeys({})).keys).toMatchObject([
    { keyId: made.key.id, boundedContextId: 'quoting' },
  ])
})

test('The key of auth-service is registered by its own start', async () => {
  await startAuthService({ AUTH_SERVICE_COMPONENT_KEY_FILE: made.file })
  const { keys } = await registry.GetComponentKeys({})
  expect(keys).toMatchObject([{ keyId: made.key.id, boundedContextId: 'auth-service' }])
})

test('A registration is announced and audited once, however often it is repeated', async () => {
  await startAuthService()
  const answers = await Promise.all([1, 2, 3].map(() => register('quoting', made)))
  expect(new Set(answers.map(({ key }) => JSON.stringify(key))).size).toBe(1)
  const { key: revoked } = await registry.RevokeComponentKey({ keyId: made.key.id, actor: 'ada' })
  expect(revoked).toMatchObject({ revokedBy: 'ada' })
  await eventually(() => changed.length === 2 && audited.length === 2, 'two changes')
  expect(changed.map(({ boundedContextId }) => boundedContextId)).toEqual(['quoting', 'quoting'])
  const entries = audited.map(({ actionType, securityContext }) => [
    actionType,
    securityContext.userId,
  ])
  expect(entries).toEqual([
    ['RegisterComponentKey', 'quoting'],
    ['RevokeComponentKey', 'ada'],
  ])
})

test('A service may register a key for itself alone, and admin one for a program by its name', async () => {
  const db = await ownDatabase(parts)
  stops.push({ stop: () => db.close() })
  const handlers = serveComponentKeys({ db, bus: parts.bus })
  const { publicKey } = made.key
  const call = (caller: string) => ({
    signal: new AbortController().signal,
    left_ms: () => 1_000,
    callers: [caller],
  })
  const as = (caller: string, boundedContextId: string, actor = '') =>
    handlers.RegisterComponentKey({ boundedContextId, publicKey, actor }, call(caller))
  const refused = { refusal: { reason: 'NOT_OWNER' } }
  expect(await as('transfers', 'quoting')).toMatchObject(refused)
  expect(await as('admin', 'quoting', 'quoting')).toMatchObject(refused)
  expect(await as('admin', 'pricing', 'reports')).toMatchObject(refused)
  expect(await as('admin', 'pricing', 'pricing')).toMatchObject({ key: { keyId: made.key.id } })
  expect(await as('quoting', 'quoting')).toMatchObject({ refusal: { reason: 'KEY_EXISTS' } })
})

test('A verifier finds a key as soon as it is registered, and no longer in force once it is revoked', async () => {
  await startAuthService()
  const known = await openKeys()
  expect(await known.find(made.key.id)).toBeUndefined()
  await register('quoting', made)
  await eventually(async () => (await known.find(made.key.id)) !== undefined, 'the key')
  expect(await known.find(made.key.id)).toMatchObject({
    boundedContextId: 'quoting',
    revokedAt: null,
  })
  await registry.RevokeComponentKey({ keyId: made.key.id, actor: 'ada' })
  await eventually(async () => (await known.find(made.key.id))?.revokedAt !== null, 'its end')
  expect((await register('quoting', made)).refusal?.reason).toBe('KEY_REVOKED')
})

test('However many keys were revoked, those in force are listed', async () => {
  await startAuthService()
  await register('quoting', made)
  const later = await makeComponentKey()
  await register('quoting', later)
  await registry.RevokeComponentKey({ keyId: later.key.id, actor: 'ada' })
  later.remove()
  const db = await ownDatabase(parts)
  stops.push({ stop: () => db.close() })
  expect(await allComponentKeys(db, 1)).toMatchObject([{ id: made.key.id, revoked: null }])
})

test('A flood of unknown ids leads to one question', async () => {
  const db = await ownDatabase(parts)
  stops.push({ stop: () => db.close() })
  const handlers = serveComponentKeys({ db, bus: parts.bus })
  let asked = 0
  parts.grpc.serve(componentKeysService, {
    ...handlers,
    GetComponentKeys(query, call) {
      asked += 1
      return handlers.GetComponentKeys(query, call)
    },
  })
  const known = await openKeys()
  await Promise.all(Array.from({ length: 1_000 }, (_, at) => known.find(`invented-${at}`)))
  expect(asked).toBe(1)
})
