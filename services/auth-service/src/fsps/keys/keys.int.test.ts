import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { calculateJwkThumbprint } from 'jose'
import { fsp, openWorld, ownDatabase, type AuthServiceWorld } from '../../testing/world.ts'

const services = [participantLifecycle, settlements] as const

let auth: AuthServiceWorld

beforeAll(async () => {
  auth = await openWorld(services)
})

afterAll(() => auth.stop())

function newPair() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

function addition(publicKey: string, changes: object = {}) {
  const words = { use: 'sig', createdBy: 'operator' }
  return { participant: fsp, publicKey, ...words, ...changes }
}

async function add(publicKey: string, changes: object = {}) {
  return auth.keys.AddParticipantKey(addition(publicKey, changes))
}

async function keysOf(...names: string[]) {
  const { participants } = await auth.keys.GetParticipantKeys({ names })
  return Object.fromEntries(
    participants.map(({ participant, keys }) => [participant, keys.map(({ kid }) => kid)]),
  )
}

function changesPublished(): number {
  return auth.published.filter(({ name }) => name === 'ParticipantKeysUpdated').length
}

describe('a key', () => {
  test('A key is stored under its thumbprint, returned as JWK, and announced', async () => {
    const { publicKey } = newPair()
    const before = changesPublished()
    const { key } = await add(pemOf(publicKey))
    const kid = await calculateJwkThumbprint(publicKey)
    expect(key).toMatchObject({ kid, use: 'sig', createdBy: 'operator' })
    expect(JSON.parse(key?.jwk ?? '')).toEqual({
      ...publicKey.export({ format: 'jwk' }),
      kid,
      use: 'sig',
    })
    await eventually(
      () => changesPublished() === before + 1 || undefined,
      'the change is published',
    )
    expect(auth.published.at(-1)?.payload).toMatchObject({ participantId: fsp })
    expect((await keysOf(fsp, 'nobody', '\0'))[fsp]).toContain(kid)
  })

  test('Adding a key again, as JWK or PEM, gives the same answer and changes nothing', async () => {
    const { publicKey } = newPair()
    const first = await add(pemOf(publicKey), { kid: 'twice' })
    const jwk = JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: 'twice', use: 'sig' })
    const before = changesPublished()
    expect(await add(jwk, { validFrom: '2030-01-01T00:00:00Z' })).toEqual(first)
    expect(await add(pemOf(newPair().publicKey), { kid: 'twice' })).toMatchObject({
      refusal: { reason: 'KEY_EXISTS' },
    })
    const { key } = await add(pemOf(newPair().publicKey), { kid: 'after' })
    expect(key?.kid).toBe('after')
    await eventually(
      () => changesPublished() === before + 1 || undefined,
      'one change is published',
    )
  })

  test('A key that is added concurrently is stored once', async () => {
    const { publicKey } = newPair()
    const pem = pemOf(publicKey)
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(pem, { kid: 'raced' })))
    expect(new Set(answers.map(({ key }) => JSON.stringify(key))).size).toBe(1)
    expect((await keysOf(fsp))[fsp]?.filter((kid) => kid === 'raced')).toHaveLength(1)
  })

  test('Of several keys with one kid that are added concurrently, one is accepted', async () => {
    const pems = Array.from({ length: 4 }, () => pemOf(newPair().publicKey))
    const answers = await Promise.all(pems.map((pem) => add(pem, { kid: 'contested' })))
    expect(answers.filter(({ key }) => key)).toHaveLength(1)
    const refused = answers.flatMap(({ refusal }) => refusal?.reason ?? [])
    expect(refused).toEqual(['KEY_EXISTS', 'KEY_EXISTS', 'KEY_EXISTS'])
  })

  test('A key may have a future start and end, and both are stored', async () => {
    const times = { validFrom: '2030-01-01T00:00:00+01:00', validTo: '2031-01-01T00:00:00Z' }
    const { key } = await add(pemOf(newPair().publicKey), { kid: 'future', ...times })
    expect(key).toMatchObject({
      validFrom: '2029-12-31T23:00:00.000Z',
      validTo: '2031-01-01T00:00:00.000Z',
    })
  })

  test('An ended key stays in the history', async () => {
    await add(pemOf(newPair().publicKey), { kid: 'ending' })
    const now = { participant: fsp, kid: 'ending', actor: 'ada' }
    const end = { ...now, validTo: '2030-01-01T00:00:00Z' }
    expect((await auth.keys.EndParticipantKey(end)).key?.validTo).toBe('2030-01-01T00:00:00.000Z')
    const { key } = await auth.keys.EndParticipantKey(now)
    expect(Date.parse(key?.validTo ?? '')).toBeLessThanOrEqual(Date.now())
    expect(await auth.keys.EndParticipantKey(now)).toMatchObject({ key })
    expect(await auth.keys.EndParticipantKey(end)).toMatchObject({
      refusal: { reason: 'INVALID' },
    })
    expect((await keysOf(fsp))[fsp]).toContain('ending')
  })
})

describe('a request is refused for', () => {
  const pair = newPair()
  const pem = pemOf(pair.publicKey)

  test.each([
    ['a key of an unknown FSP', pem, { participant: 'nobody' }, 'PARTICIPANT_UNKNOWN'],
    ['a key of the hub', pem, { participant: 'Hub' }, 'PARTICIPANT_UNKNOWN'],
    ['a key of a name with a NUL', pem, { participant: 'a\0b' }, 'PARTICIPANT_UNKNOWN'],
    ['what is no key', 'x', {}, 'INVALID'],
    [
      'a weak key',
      pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
      {},
      'INVALID',
    ],
    ['an unknown use', pem, { use: 'tls' }, 'INVALID'],
    ['a kid with a blank', pem, { kid: 'a b' }, 'INVALID'],
    [
      "a kid that is not the JWK's own",
      JSON.stringify({ ...pair.publicKey.export({ format: 'jwk' }), kid: 'own' }),
      { kid: 'given' },
      'INVALID',
    ],
    ['a time that is none', pem, { validTo: 'tomorrow' }, 'INVALID'],
    ['an end in the past', pem, { validTo: '2020-01-01T00:00:00Z' }, 'INVALID'],
    ['an author with a NUL', pem, { createdBy: 'a\0b' }, 'INVALID'],
  ])('%s', async (_, publicKey, changes, reason) => {
    expect(await add(publicKey, changes)).toMatchObject({ refusal: { reason } })
  })

  test.each([
    ['an unknown kid', { kid: 'unknown' }, 'KEY_UNKNOWN'],
    ['an unknown FSP', { participant: 'nobody' }, 'KEY_UNKNOWN'],
    ['a kid that is none', { kid: 'a\0b' }, 'KEY_UNKNOWN'],
    ['a time that is none', { validTo: 'x' }, 'INVALID'],
  ])('A request is refused for the end of %s', async (_, changes, reason) => {
    const answer = await auth.keys.EndParticipantKey({
      participant: fsp,
      actor: 'ada',
      kid: 'twice',
      ...changes,
    })
    expect(answer).toMatchObject({ refusal: { reason } })
  })

  test('A private key is refused, and neither stored nor repeated in the error', async () => {
    const { privateKey } = newPair()
    const jwk = privateKey.export({ format: 'jwk' })
    const forms = [
      JSON.stringify(jwk),
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    ]
    for (const form of forms) {
      const { refusal } = await add(form, { kid: 'private' })
      expect(refusal?.detail).toContain('private key')
      expect(refusal?.detail.length).toBeLessThan(128)
    }
    expect((await keysOf(fsp))[fsp]).not.toContain('private')
  })

  test('A seventeenth key that has not ended is refused, even in concurrent requests', async () => {
    const { keys } = auth
    const [known] = (await keys.GetParticipantKeys({ names: [fsp] })).participants
    for (const { kid } of known?.keys ?? []) {
      await keys.EndParticipantKey({ participant: fsp, kid, actor: 'ada' })
    }
    const curve = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const answers = await Promise.all(
      Array.from({ length: 17 }, () => add(pemOf(curve().publicKey))),
    )
    expect(answers.filter(({ refusal }) => refusal?.reason === 'INVALID')).toHaveLength(1)
  })
})

test('A crash between the answers loses no key, and each change is announced once', async () => {
  const before = auth.published.length
  const pem = pemOf(newPair().publicKey)
  const { key } = await add(pem, { use: 'enc', kid: 'crash' })
  auth = await auth.crash()
  expect(await add(pem, { use: 'enc', kid: 'crash' })).toMatchObject({ key })
  const database = await ownDatabase(auth.parts)
  const rows = await database.query<{ readonly kid: string }>(
    statement(`select kid from participant_keys where kid = 'crash'`),
    [],
  )
  await database.close()
  expect(rows).toHaveLength(1)
  expect(before).toBeGreaterThan(0)
})
