import { randomUUID } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import { newEvent } from '@causeway/events'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { makeCsr } from '@causeway/pki'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newKeyPair, openAdminOfFsps, refusalOf } from '../testing/identities.ts'
import type { AdminWorld } from '../testing/world.ts'
import { accountOf, deposit } from '../testing/scheme.ts'

const services = [participantLifecycle, authService, settlements, notifications] as const

let admin: AdminWorld

const name = 'newbank'
const path = `/participants/${name}`

beforeAll(async () => {
  admin = await openAdminOfFsps(services)
  await admin.call('POST', '/participants', { name, currency: 'USD' })
})

afterAll(() => admin.stop())

interface Readiness {
  readonly participant: string
  readonly ready: boolean
  readonly items: readonly { readonly item: string; readonly ok: boolean; readonly text: string }[]
}

async function readiness(): Promise<Readiness> {
  const { status, json } = await admin.call('GET', `${path}/readiness`)
  expect(status).toBe(200)
  return json as Readiness
}

async function lacking(): Promise<readonly string[]> {
  const { participant, ready, items } = await readiness()
  const missing = items.filter(({ ok }) => !ok).map(({ item }) => item)
  expect([participant, ready]).toEqual([name, missing.length === 0])
  return missing
}

/** The edge's events about a ping and the hub's own ping. */
async function pinged(status: 'SUCCESS' | 'FAILED'): Promise<void> {
  const pingId = randomUUID()
  const now = new Date().toISOString()
  const ping = { pingId, requesterFspId: name, version: '1.1', identity: 'mtls', receivedAt: now }
  const report = {
    notificationId: randomUUID(),
    legRole: 'REQUESTER',
    destinationFspId: name,
    entityId: pingId,
    status,
    attempts: 1,
    duration_ms: 3,
    ...(status === 'FAILED' ? { lastError: 'connect ECONNREFUSED' } : {}),
    reportedAt: now,
  } as const
  await admin.parts.bus.publish([newEvent('fspiop-api', 'PingReceived', ping)])
  await admin.parts.bus.publish([
    newEvent('fspiop-api', 'PingCallbackReport', { reports: [report] }),
  ])
}

test('Each step of onboarding removes its item from the list, until none is missing', async () => {
  const first = ['keys', 'identity', 'endpoints', 'limits', 'accounts', 'ping', 'active', 'funds']
  expect(await lacking()).toEqual(first)

  await admin.call('POST', `${path}/keys`, { use: 'sig', publicKey: newKeyPair().pem })
  expect(await lacking()).toEqual(first.slice(1))

  const { csr } = makeCsr({ subject: { commonName: name, organization: undefined } })
  await admin.call('POST', `${path}/certificates`, { csr })
  expect(await lacking()).toEqual(first.slice(2))

  const endpoint = { type: 'FSPIOP_CALLBACK_URL', value: 'https://callbacks.newbank.example' }
  await admin.call('POST', `${path}/endpoints`, endpoint)
  expect(await lacking()).toEqual(first.slice(3))

  const limit = { type: 'NET_DEBIT_CAP', value: '1000' }
  await admin.call('POST', `${path}/initialPositionAndLimits`, { currency: 'USD', limit })
  expect(await lacking()).toEqual(first.slice(5))

  await pinged('FAILED')
  const failed = await eventually(async () => {
    const { items } = await readiness()
    return items.find(({ text }) => text.includes('ECONNREFUSED'))
  }, 'the ping that failed')
  expect(failed).toMatchObject({ item: 'ping', ok: false })

  await pinged('SUCCESS')
  await eventually(async () => !(await lacking()).includes('ping'), 'the ping that reached it')

  await admin.call('PUT', path, { isActive: true })
  expect(await lacking()).toEqual(['funds'])
  const { id } = await accountOf(admin, name, 'SETTLEMENT')
  await admin.call('POST', `${path}/accounts/${id}`, deposit())
  expect(await lacking()).toEqual([])
})

test('A key that was ended is missing again', async () => {
  const { json } = await admin.call('GET', `${path}/keys`)
  const [key] = json as readonly { readonly kid: string }[]
  await admin.call('DELETE', `${path}/keys/${key?.kid ?? ''}`)
  expect(await lacking()).toEqual(['keys'])
})

test.each([
  ['nobody', '404 3200'],
  ['Hub', '404 3200'],
  ['x', '400 3100'],
])('There is no readiness of %s', async (other, expected) => {
  expect(refusalOf(await admin.call('GET', `/participants/${other}/readiness`))).toBe(expected)
})
