import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newKeyPair, openAdminOfFsps, refusalOf } from '../testing/identities.ts'
import type { AdminWorld } from '../testing/world.ts'

let admin: AdminWorld

beforeAll(async () => {
  admin = await openAdminOfFsps([participantLifecycle, authService, settlements])
})

afterAll(() => admin.stop())

const as = (operator: string, method: string, path: string, body: unknown) =>
  admin.call(method, path, body, { 'x-operator': operator })

const key = () => ({ use: 'sig', publicKey: newKeyPair().pem })

test('The program that sets up the hub gives keys, secrets and certificates to participants of its own only', async () => {
  await as('setup', 'POST', '/participants', { name: 'own', currency: 'USD' })
  await as('ada', 'POST', '/participants', { name: 'another', currency: 'USD' })
  expect((await as('setup', 'POST', '/participants/own/keys', key())).status).toBe(201)
  expect((await as('setup', 'PUT', '/participants/own', { isActive: true })).status).toBe(200)
  const changes: readonly (readonly [string, string, unknown])[] = [
    ['POST', '/participants/another/keys', key()],
    ['POST', '/participants/another/client-secrets', {}],
    ['PUT', '/participants/another', { isActive: true }],
    [
      'POST',
      '/participants/another/endpoints',
      { type: 'FSPIOP_CALLBACK_URL', value: 'https://a.example' },
    ],
    ['POST', '/operators', { name: 'more', roles: ['administrator'] }],
    ['PUT', '/participants/Hub', { isActive: false }],
  ]
  for (const [method, path, body] of changes) {
    expect([path, refusalOf(await as('setup', method, path, body))]).toEqual([path, '403 3000'])
  }
  expect((await as('ada', 'POST', '/participants/another/keys', key())).status).toBe(201)
})
