import { randomUUID } from 'node:crypto'
import * as accountLookup from '@causeway/account-lookup'
import * as authService from '@causeway/auth-service'
import { onEvents, type DomainEvent } from '@causeway/events'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { makeCsr } from '@causeway/pki'
import { eventually } from '@causeway/process/testing'
import * as quoting from '@causeway/quoting'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newKeyPair, openAdminOfFsps } from './testing/identities.ts'
import type { AdminWorld } from './testing/world.ts'
import { accountOf, deferredNet, deposit } from './testing/scheme.ts'

const services = [
  participantLifecycle,
  authService,
  settlements,
  quoting,
  accountLookup,
  notifications,
] as const

let admin: AdminWorld
const entries: DomainEvent<'/audit-log-write'>['payload'][] = []

beforeAll(async () => {
  admin = await openAdminOfFsps(services)
  await onEvents(admin.parts.bus, 'audit_test', ['/audit-log-write'], (events) => {
    entries.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  await recordOf('POST', '/participants', { name: 'green', currency: 'USD' })
}, 60_000)

afterAll(() => admin.stop())

/** The subject of the single audit entry of each write. */
async function recordOf(method: string, path: string, body?: unknown): Promise<string> {
  const marker = `m${randomUUID().slice(0, 8)}`
  const before = entries.length
  const { status, text } = await admin.call(method, path, body)
  if (status >= 300) throw new Error(`answered ${status}: ${text}`)
  // A later entry marks the end of the search.
  const closing = { type: 'VALIDITY', maxMs: 60_000 }
  await admin.call('PUT', `/scheme-rules/${marker}`, closing)
  await eventually(
    () => (JSON.stringify(entries.at(-1)?.after ?? '').includes(marker) ? true : undefined),
    'the marker is in the audit log',
  )
  const found = entries.slice(before, -1)
  return found.map(({ actionType, subject }) => `${actionType} ${subject}`).join(', ')
}

test('Each write leaves exactly one audit entry, with actor, action and outcome', async () => {
  const one = '/participants/green'
  const limit = { type: 'NET_DEBIT_CAP', value: 100 }
  const begin = { currency: 'USD', limit, initialPosition: 0 }
  const subject = { commonName: 'green', organization: undefined }
  const { csr } = makeCsr({ subject, names: { dns: ['localhost'], ip: [] } })
  const name = expect.stringMatching(/^\w+ [\w/.-]*$/)
  const writes: readonly (readonly [string, string, unknown?])[] = [
    ['POST', '/participants', { name: 'blue', currency: 'USD' }],
    ['POST', `${one}/initialPositionAndLimits`, begin],
    ['PUT', one, { isActive: true }],
    ['PUT', `${one}/limits`, { currency: 'USD', limit: { ...limit, value: 200 } }],
    ['POST', `${one}/endpoints`, { type: 'FSPIOP_CALLBACK_URL', value: 'http://fsp.example' }],
    ['POST', '/participants/Hub/accounts', { currency: 'EUR', type: 'HUB_RECONCILIATION' }],
    ['POST', '/settlementModels', { ...deferredNet, name: 'EURONET', currency: 'EUR' }],
    ['PUT', '/settlementModels/EURONET', { isActive: false }],
    ['POST', `${one}/certifications`, certification],
    ['POST', `${one}/keys`, { kid: 'k1', use: 'sig', publicKey: newKeyPair().pem }],
    ['DELETE', `${one}/keys/k1`],
    ['POST', `${one}/certificates`, { csr }],
    ['POST', `${one}/client-secrets`],
    ['DELETE', `${one}/client-secrets`],
    ['POST', '/oracles', oracle],
    ['PUT', '/oracles/1', { isDefault: true }],
    ['DELETE', '/oracles/1'],
    ['PUT', '/scheme-rules/r1', { type: 'CURRENCY', currencies: ['USD'] }],
    ['DELETE', '/scheme-rules/r1'],
  ]
  for (const [method, path, body] of writes) {
    expect([method, path, await recordOf(method, path, body)]).toEqual([method, path, name])
  }
  const { id } = await accountOf(admin, 'green', 'SETTLEMENT')
  const account = `${one}/accounts/${id}`
  const out = { ...deposit(), action: 'recordFundsOutPrepareReserve' }
  const commit = { action: 'recordFundsOutCommit', reason: 'paid' }
  expect(await recordOf('POST', account, deposit())).toEqual(name)
  expect(await recordOf('POST', account, out)).toEqual(name)
  expect(await recordOf('PUT', `${account}/transfers/${out.transferId}`, commit)).toEqual(name)
  expect(await recordOf('PUT', account, { isActive: false })).toEqual(name)
  expect(new Set(entries.map(({ securityContext }) => securityContext.userId))).toEqual(
    new Set(['unknown']),
  )
}, 120_000)

const certification = {
  fsp: 'green',
  callbackUrl: 'http://fsp.example',
  startedAt: '2026-03-01T12:00:00.000Z',
  finishedAt: '2026-03-01T12:01:00.000Z',
  passed: 1,
  failed: 0,
  notRun: 0,
  results: [{ id: 'one', title: 'A rule', role: 'payee', section: '6.3.4', state: 'passed' }],
}

const oracle = {
  oracleIdType: 'MSISDN',
  endpoint: { value: 'http://oracle.example', endpointType: 'URL' },
}
