import { readSettings } from '@causeway/process'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings } from './settings.ts'

let parts: TestParts

beforeAll(async () => {
  parts = await openTestParts()
})

afterAll(() => parts.stop())

function valuesOf(given: Readonly<Record<string, string>>) {
  const values = { OPERATOR_PORT: '0', ...given }
  return readSettings(settings, { sources: [{ origin: 'flag', values }], prefixes: [] }).values
}

test.each(['0.0.0.0', '::', '192.0.2.1', 'hub.example', '127.0.0.1.example'])(
  'Without authentication it does not listen on %s',
  async (OPERATOR_HOST) => {
    await expect(
      start(valuesOf({ OPERATOR_IDENTITY: 'none', OPERATOR_HOST }), parts),
    ).rejects.toThrow(`OPERATOR_HOST=${OPERATOR_HOST} is reachable from other machines`)
  },
)

test('An unknown OPERATOR_IDENTITY is refused', () => {
  expect(() => valuesOf({ OPERATOR_IDENTITY: 'header' })).toThrow(
    'OPERATOR_IDENTITY must be one of token, none',
  )
})

test('The API answers under its base paths too', async () => {
  const admin = await start(valuesOf({ OPERATOR_BASE_PATHS: '/admin,/als-admin' }), parts)
  for (const path of ['/health', '/v2/health', '/participants', '/console/', '/nothing']) {
    const plain = await fetch(`${admin.url}${path}`)
    for (const base of ['/admin', '/als-admin']) {
      const based = await fetch(`${admin.url}${base}${path}`)
      expect([path, based.status, await based.clone().text()]).toEqual([
        path,
        plain.status,
        await plain.clone().text(),
      ])
    }
  }
  await admin.stop()
})

test('GET /health names the services that do not answer, and operations fail without them', async () => {
  const admin = await start(valuesOf({}), parts)
  const health = await fetch(`${admin.url}/health`)
  expect(health.status).toBe(503)
  expect(await health.json()).toMatchObject({
    status: 'DOWN',
    services: [
      { name: 'participant-lifecycle', status: 'DOWN' },
      { name: 'settlements', status: 'DOWN' },
      { name: 'quoting', status: 'DOWN' },
      { name: 'transfers', status: 'DOWN' },
      { name: 'auth-service', status: 'DOWN' },
      { name: 'account-lookup', status: 'DOWN' },
      { name: 'notifications', status: 'DOWN' },
      { name: 'scheduler', status: 'DOWN' },
      { name: 'audit', status: 'DOWN' },
      { name: 'config', status: 'DOWN' },
    ],
  })
  // The caller is checked first, and the keys for that are not known yet.
  const authorization = 'Bearer whatever'
  const list = await fetch(`${admin.url}/participants`, { headers: { authorization } })
  expect(list.status).toBe(503)
  expect(await list.json()).toMatchObject({ errorInformation: { errorCode: '2003' } })
  await admin.stop()
})
