import * as authService from '@causeway/auth-service'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newKeyPair, openAdminOfFsps, time, refusalOf } from '../testing/identities.ts'
import type { AdminWorld } from '../testing/world.ts'

const services = [participantLifecycle, authService, settlements, notifications] as const

let admin: AdminWorld

const path = '/participants/greenbank/keys'
const pair = newKeyPair()

beforeAll(async () => {
  admin = await openAdminOfFsps(services)
  await admin.call('POST', '/participants', { name: 'greenbank', currency: 'USD' })
  await admin.call('POST', path, { kid: 'known', use: 'sig', publicKey: pair.pem })
})

afterAll(() => admin.stop())

async function kids(): Promise<readonly string[]> {
  const { json } = await admin.call('GET', path)
  return (json as readonly { readonly kid: string }[]).map(({ kid }) => kid)
}

test('A key is registered as PEM, as a JWK or as the text of one, and listed', async () => {
  const { pem, jwk } = newKeyPair()
  const { status, json } = await admin.call('POST', path, { use: 'sig', publicKey: pem })
  expect(status).toBe(201)
  const { kid } = json as { readonly kid: string }
  expect(json).toEqual({
    kid,
    use: 'sig',
    publicKey: { ...jwk, kid, use: 'sig' },
    validFrom: expect.stringMatching(time),
    validTo: null,
    createdDate: expect.stringMatching(time),
    createdBy: 'unknown',
  })
  for (const publicKey of [jwk, JSON.stringify(jwk)]) {
    expect((await admin.call('POST', path, { use: 'sig', publicKey })).json).toEqual(json)
  }
  expect((await admin.call('GET', path)).json).toContainEqual(json)
  expect((await kids()).filter((one) => one === kid)).toHaveLength(1)
})

test('A key with validity times is valid between them', async () => {
  const times = { validFrom: '2030-01-01T00:00:00+01:00', validTo: '2031-01-01T00:00:00Z' }
  const { pem } = newKeyPair()
  const { json } = await admin.call('POST', path, { use: 'sig', publicKey: pem, ...times })
  expect(json).toMatchObject({
    validFrom: '2029-12-31T23:00:00.000Z',
    validTo: '2031-01-01T00:00:00.000Z',
  })
})

test('A key is ended later or at once, and stays in the list', async () => {
  const kid = 'with/slash'
  await admin.call('POST', path, { kid, use: 'sig', publicKey: newKeyPair().pem })
  const one = `${path}/${encodeURIComponent(kid)}`
  const validTo = '2030-01-01T00:00:00.000Z'
  const later = await admin.call('PUT', one, { validTo })
  expect([later.status, later.json]).toMatchObject([200, { kid, validTo }])
  const now = await admin.call('DELETE', one)
  expect([now.status, now.json]).toMatchObject([200, { kid, validTo: expect.stringMatching(time) }])
  expect((await admin.call('DELETE', one)).json).toEqual(now.json)
  expect(refusalOf(await admin.call('PUT', one, { validTo }))).toBe('400 3100')
  expect(await kids()).toContain(kid)
})

describe('refused is', () => {
  const key = { use: 'sig', publicKey: newKeyPair().pem }
  const { privatePem, privateJwk } = newKeyPair()

  test.each([
    ['no body', undefined, '400 3102'],
    ['no use', { publicKey: key.publicKey }, '400 3102'],
    ['no key', { use: 'sig' }, '400 3102'],
    ['another use', { ...key, use: 'tls' }, '400 3101'],
    ['a kid with a blank', { ...key, kid: 'a b' }, '400 3101'],
    ['a kid that is a number', { ...key, kid: 7 }, '400 3100'],
    ['a key that is a number', { ...key, publicKey: 7 }, '400 3100'],
    ['a key that is no key', { ...key, publicKey: 'x' }, '400 3100'],
    ['a private key in PEM', { ...key, publicKey: privatePem }, '400 3100'],
    ['a private JWK', { ...key, publicKey: privateJwk }, '400 3100'],
    ['an elliptic key for encryption', { ...key, use: 'enc' }, '400 3100'],
    ['a time that is none', { ...key, validTo: 'tomorrow' }, '400 3101'],
    ['a time without an offset', { ...key, validTo: '2030-01-01T00:00:00' }, '400 3101'],
    ['an end in the past', { ...key, validTo: '2020-01-01T00:00:00Z' }, '400 3100'],
    ['another key of a known kid', { ...key, kid: 'known' }, '400 3000'],
    ['an unknown member', { ...key, colour: 'red' }, '400 3100'],
  ])('A key is refused with %s, and nothing is stored', async (_, body, expected) => {
    const before = await kids()
    const answer = await admin.call('POST', path, body)
    expect(refusalOf(answer)).toBe(expected)
    expect(answer.text).not.toContain('BEGIN')
    expect(await kids()).toEqual(before)
  })

  test.each([
    ['the keys of an unknown FSP', 'GET', '/participants/nobody/keys', undefined, '404 3200'],
    ['a key for an unknown FSP', 'POST', '/participants/nobody/keys', key, '404 3200'],
    ['a key for the hub', 'POST', '/participants/Hub/keys', key, '404 3200'],
    ['the end of an unknown key', 'DELETE', `${path}/unknown`, undefined, '404 3200'],
    [
      'the end of a key of an unknown FSP',
      'DELETE',
      '/participants/nobody/keys/a',
      undefined,
      '404 3200',
    ],
    ['the end of what is no kid', 'DELETE', `${path}/a%20b`, undefined, '400 3101'],
    ['an end without a time', 'PUT', `${path}/known`, {}, '400 3102'],
    ['an end that is no time', 'PUT', `${path}/known`, { validTo: 'soon' }, '400 3101'],
    ['another method', 'POST', `${path}/known`, {}, '405 3000'],
  ])('A request for %s is refused', async (_, method, where, body, expected) => {
    expect(refusalOf(await admin.call(method, where, body))).toBe(expected)
  })
})
