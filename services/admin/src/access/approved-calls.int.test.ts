import * as accountLookup from '@causeway/account-lookup'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import { onEvents } from '@causeway/events'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { readSettings } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import * as quoting from '@causeway/quoting'
import * as scheduler from '@causeway/scheduler'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operations } from '../routes.ts'
import { settings } from '../settings.ts'
import { deferredNet } from '../testing/scheme.ts'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'
import { connect } from '../upstream.ts'
import { needsSecond } from './four-eyes.ts'

const services = [
  participantLifecycle,
  authService,
  settlements,
  quoting,
  transfers,
  accountLookup,
  scheduler,
  notifications,
  audit,
]

let admin: AdminWorld
/** What the two operators have done by the audit log, in its order. */
const actions: string[] = []

beforeAll(async () => {
  admin = await openWorld(services, { FOUR_EYES: 'required' })
  await onEvents(admin.parts.bus, 'test', ['/audit-log-write'], (events) => {
    const ofOperators = events.filter(({ payload: { securityContext } }) =>
      ['ada', 'bob'].includes(securityContext.userId ?? ''),
    )
    actions.push(...ofOperators.map(({ payload }) => payload.actionType))
    return Promise.resolve()
  })
}, 60_000)

afterAll(() => admin.stop())

const uuid = 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'
const fsp = '/participants/greenbank'
const endsAt = { validTo: '2031-01-01T00:00:00Z' }
const step = { state: 'PS_TRANSFERS_RECORDED', reason: 'day' }
const rule = { type: 'CURRENCY', currencies: ['USD'] }
const address = 'https://server.example/'
const reminder = { reminderId: 'end-of-day', url: address }
const settlement = { settlementModel: 'DEFERREDNET', reason: 'day', settlementWindows: [{ id: 1 }] }
const funds = {
  transferId: uuid,
  externalReference: 'bank',
  action: 'recordFundsIn',
  reason: 'deposit',
  amount: { amount: '10', currency: 'USD' },
}
const hubAccount = { currency: 'USD', type: 'HUB_RECONCILIATION' }
const limit = { currency: 'USD', limit: { type: 'NET_DEBIT_CAP', value: '1000' } }
const endpoint = { type: 'FSPIOP_CALLBACK_URL', value: address }
const oracle = { oracleIdType: 'EMAIL', endpoint: { value: address, endpointType: 'URL' } }
const role = { labelName: 'Clerk', privileges: [] }
const key = { keyDefinitionId: uuid }

interface Example {
  /** With the values of its variables. */
  readonly uri: string
  readonly body?: unknown
  /** It reads what it changes, and is refused at once where there is none. */
  readonly isRefused?: true
}

const of = (uri: string, body?: unknown): Example => ({ uri, body })
const refusedOf = (uri: string, body?: unknown): Example => ({ uri, body, isRefused: true })

/** A call of each operation that waits for a second person. */
const examples: Readonly<Record<string, Example>> = {
  'POST /participants/:name/accounts': of('/participants/Hub/accounts', hubAccount),
  'POST /settlementModels': of('/settlementModels', deferredNet),
  'PUT /settlementModels/:name': of('/settlementModels/DEFERREDNET', { isActive: true }),
  'POST /participants': of('/participants', { name: 'greenbank', type: 'PISP' }),
  'PUT /participants/:name': of(fsp, { isActive: true }),
  'PUT /participants/:name/limits': of(`${fsp}/limits`, limit),
  'POST /participants/:name/initialPositionAndLimits': of(`${fsp}/initialPositionAndLimits`, limit),
  'POST /participants/:name/endpoints': of(`${fsp}/endpoints`, endpoint),
  'PUT /participants/:name/accounts/:id': of(`${fsp}/accounts/1`, { isActive: true }),
  'POST /participants/:name/accounts/:id': of(`${fsp}/accounts/1`, funds),
  'PUT /participants/:name/accounts/:id/transfers/:transferId': of(
    `${fsp}/accounts/1/transfers/${uuid}`,
    { action: 'recordFundsOutCommit', reason: 'paid' },
  ),
  'POST /participants/:name/keys': of(`${fsp}/keys`, { use: 'sig', publicKey: 'PEM' }),
  'PUT /participants/:name/keys/:kid': of(`${fsp}/keys/one`, endsAt),
  'DELETE /participants/:name/keys/:kid': of(`${fsp}/keys/one`),
  'POST /participants/:name/client-secrets': of(`${fsp}/client-secrets`),
  'DELETE /participants/:name/client-secrets': of(`${fsp}/client-secrets`),
  'POST /participants/:name/certificates': of(`${fsp}/certificates`, { csr: 'PEM' }),
  'POST /participants/:name/certificates/registrations': of(`${fsp}/certificates/registrations`, {
    certificate: 'PEM',
  }),
  'DELETE /participants/:name/certificates/:serial': of(`${fsp}/certificates/01`),
  'PUT /participants/:name/reportDelivery': of(`${fsp}/reportDelivery`, { delivery: 'LINK' }),
  'POST /operators': of('/operators', { name: 'clerk', roles: ['viewer'] }),
  'PUT /operators/:operator': of('/operators/clerk', { isActive: false }),
  'POST /operators/:operator/secret-reset': of('/operators/clerk/secret-reset'),
  'DELETE /operators/:operator/fido-keys': of('/operators/clerk/fido-keys'),
  'POST /app-register': of('/app-register', { appName: 'ledger.reader', roles: ['viewer'] }),
  'PUT /roles/:role': of('/roles/clerk', role),
  'POST /audit-quarantine/:contentHash': of(`/audit-quarantine/${'0'.repeat(64)}`, {
    decision: 'DISCARD',
  }),
  'POST /component-keys': of('/component-keys', { boundedContextId: 'x', publicKey: 'PEM' }),
  'DELETE /component-keys/:kid': of('/component-keys/one'),
  'POST /kms-key-definition': of('/kms-key-definition', {
    label: 'archive',
    usage: 'ENCRYPT',
    type: 'AES',
    validFrom: '2026-01-01T00:00:00Z',
  }),
  'POST /kms-aes-key-gen': of('/kms-aes-key-gen', { ...key, bits: 256 }),
  'POST /kms-ecc-key-gen': of('/kms-ecc-key-gen', { ...key, curve: 'P-256' }),
  'POST /kms-pem-gen': of('/kms-pem-gen', { ...key, subject: { commonName: 'hub' } }),
  'POST /kms-load-key': of('/kms-load-key', { ...key, wrappedKey: 'AA==', wrappingKeyId: uuid }),
  'POST /pin-translation-unlock': of('/pin-translation-unlock', { keyId: uuid }),
  'POST /ssl-terminate': of('/ssl-terminate', {
    host: 'hub.example',
    keyId: uuid,
    certificatePem: 'PEM',
  }),
  'DELETE /consents/:consentId/contents': of(`/consents/${uuid}/contents`),
  'POST /transfers/:transferId/parties': refusedOf(`/transfers/${uuid}/parties`),
  'POST /dead-letters/:notificationId/address': refusedOf(`/dead-letters/${uuid}/address`),
  'POST /dead-letters/:notificationId/resend': of(`/dead-letters/${uuid}/resend`),
  'POST /dead-letters/resend': of('/dead-letters/resend', { notificationIds: [uuid] }),
  'POST /event-dead-letters/replay': of('/event-dead-letters/replay', {
    group: 'quoting',
    id: 'x',
  }),
  'POST /event-dead-letters/discard': of('/event-dead-letters/discard', {
    group: 'quoting',
    id: 'x',
  }),
  'POST /v2/settlementWindows/:id': of('/v2/settlementWindows/1', {
    state: 'CLOSED',
    reason: 'day',
  }),
  'POST /settlementWindows/:id': of('/settlementWindows/1', { state: 'CLOSED', reason: 'day' }),
  'POST /v2/settlements': of('/v2/settlements', settlement),
  'POST /settlements': of('/settlements', settlement),
  'PUT /v2/settlements/:id': of('/v2/settlements/1', { state: 'ABORTED', reason: 'wrong' }),
  'PUT /settlements/:id': of('/settlements/1', {
    participants: [{ id: 1, accounts: [{ id: 1, ...step }] }],
  }),
  'PUT /v2/settlements/:settlementId/participants/:participantId': refusedOf(
    '/v2/settlements/1/participants/1',
    { accounts: [{ id: 1, ...step }] },
  ),
  'PUT /settlements/:settlementId/participants/:participantId': refusedOf(
    '/settlements/1/participants/1',
    { accounts: [{ id: 1, ...step }] },
  ),
  'PUT /v2/settlements/:settlementId/participants/:participantId/accounts/:accountId': refusedOf(
    '/v2/settlements/1/participants/1/accounts/1',
    step,
  ),
  'PUT /settlements/:settlementId/participants/:participantId/accounts/:accountId': refusedOf(
    '/settlements/1/participants/1/accounts/1',
    step,
  ),
  'POST /reports': of('/reports', { day: '2026-01-01' }),
  'PUT /scheme-rules/:ruleId': of('/scheme-rules/usd', rule),
  'DELETE /scheme-rules/:ruleId': of('/scheme-rules/usd'),
  'POST /oracles': of('/oracles', oracle),
  'PUT /oracles/:id': of('/oracles/1', { isDefault: true }),
  'DELETE /oracles/:id': of('/oracles/1'),
  'POST /reminders': of('/reminders', { ...reminder, cron: '0 0 * * *' }),
  'POST /reminders/single': of('/reminders/single', {
    ...reminder,
    dueAt: '2031-01-01T00:00:00Z',
  }),
  'POST /reminders/:reminderId/retry': of('/reminders/end-of-day/retry'),
  'DELETE /reminders/:reminderId': of('/reminders/end-of-day'),
}

const waiting = () => {
  const { values } = readSettings(settings, { sources: [], prefixes: [] })
  const publish = () => Promise.resolve()
  const deps = { ...connect(admin.parts.grpc), settings: values, publish, fourEyes: true }
  return operations(deps).filter(
    (operation) => operation.method !== 'GET' && needsSecond(operation),
  )
}

const as = (operator: string, method: string, path: string, body?: unknown) =>
  admin.call(method, path, body, { 'x-operator': operator })

interface Request {
  readonly requestId: string
  readonly outcome: { readonly status: number; readonly body: unknown } | null
}

async function approved({ json }: ApiResponse): Promise<Request['outcome']> {
  const { requestId } = json as Request
  const answer = await as('bob', 'POST', '/ApproveOperation', { requestId, decision: 'APPROVE' })
  expect(answer.status).toBe(200)
  return (answer.json as Request).outcome
}

test('There is an example of each operation that waits', () => {
  const names = waiting().map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(examples).toSorted()).toEqual(names.toSorted())
})

test.each(Object.entries(examples))(
  '%s changes nothing before the approval, and makes the approved call then',
  async (name, { uri, body, isRefused = false }) => {
    const [method = ''] = name.split(' ')
    const before = actions.length
    const answer = await as('ada', method, uri, body)
    if (isRefused) {
      expect(answer.status).toBe(404)
      return
    }
    expect([name, answer.status, answer.text]).toEqual([name, 202, expect.anything()])
    await eventually(() => actions.length > before, 'the audit entry of the request')
    expect(actions.slice(before)).toEqual(['RequestOperation'])
    const outcome = await approved(answer)
    expect(outcome).not.toBeNull()
    expect(outcome?.status).not.toBe(409)
    await eventually(() => actions.slice(before).includes('ApproveOperation'), 'its audit entry')
  },
)

test('An operation whose call would be another one since what it changes has changed is not run', async () => {
  const one = await as('ada', 'PUT', '/scheme-rules/one', rule)
  const other = await as('ada', 'PUT', '/scheme-rules/other', rule)
  expect(await approved(one)).toMatchObject({ status: 201 })
  expect(await approved(other)).toMatchObject({ status: 409 })
  const { json } = await as('ada', 'GET', '/scheme-rules')
  const { rules } = json as { readonly rules: readonly { readonly id: string }[] }
  expect(rules.map(({ id }) => id)).toEqual(['one'])
})
