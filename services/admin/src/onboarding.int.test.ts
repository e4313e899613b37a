import * as accountLookup from '@causeway/account-lookup'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as config from '@causeway/config'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as quoting from '@causeway/quoting'
import * as scheduler from '@causeway/scheduler'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { refusalOf } from './testing/identities.ts'
import { openWorld, type AdminWorld } from './testing/world.ts'
import {
  accountOf,
  accountsOf,
  deferredNet,
  deposit,
  onboard,
  openScheme,
} from './testing/scheme.ts'

const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const services = [
  participantLifecycle,
  authService,
  settlements,
  quoting,
  transfers,
  accountLookup,
  notifications,
  scheduler,
  config,
  audit,
] as const

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld(services)
  await openScheme(admin)
})

afterAll(() => admin.stop())

describe('participants', () => {
  test('The hub is a participant from the start', async () => {
    const { status, json } = await admin.call('GET', '/participants/Hub')
    expect(status).toBe(200)
    expect(json).toMatchObject({
      name: 'Hub',
      id: 'hub.example/participants/Hub',
      links: { self: 'hub.example/participants/Hub' },
      isActive: 1,
      accounts: [
        { ledgerAccountType: 'HUB_MULTILATERAL_SETTLEMENT', currency: 'USD', isActive: 1 },
        { ledgerAccountType: 'HUB_RECONCILIATION', currency: 'USD', isActive: 1 },
      ],
    })
  })

  test('A new participant is created inactive, with inactive accounts, and answered in full', async () => {
    const { status, headers, json } = await admin.call('POST', '/participants', {
      name: 'new_fsp-1.0',
      currency: 'USD',
    })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    const account = { currency: 'USD', isActive: 0, createdDate: time, createdBy: 'unknown' }
    expect(json).toEqual({
      name: 'new_fsp-1.0',
      type: 'DFSP',
      id: 'hub.example/participants/new_fsp-1.0',
      created: time,
      isActive: 0,
      links: { self: 'hub.example/participants/new_fsp-1.0' },
      accounts: [
        { ...account, id: expect.any(Number), ledgerAccountType: 'POSITION' },
        { ...account, id: expect.any(Number), ledgerAccountType: 'SETTLEMENT' },
      ],
    })
    expect((await admin.call('GET', '/participants/new_fsp-1.0')).json).toEqual(json)
    const all = (await admin.call('GET', '/participants')).json
    expect(all).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'Hub', type: 'HUB' }),
        expect.objectContaining({ name: 'new_fsp-1.0', type: 'DFSP' }),
        expect.objectContaining({ name: 'centralAuth', type: 'AUTH_SERVICE', accounts: [] }),
      ]),
    )
  })

  test('A PISP has no currency and no accounts', async () => {
    const { status, json } = await admin.call('POST', '/participants', {
      name: 'pisp',
      type: 'PISP',
    })
    expect([status, json]).toMatchObject([
      200,
      { name: 'pisp', type: 'PISP', isActive: 0, accounts: [] },
    ])
    expect((await admin.call('GET', '/participants/pisp')).json).toEqual(json)
    const refusalTo = async (body: object) =>
      refusalOf(await admin.call('POST', '/participants', body))
    expect(await refusalTo({ name: 'pisp', type: 'PISP' })).toBe('400 3000')
    expect(await refusalTo({ name: 'pisp', currency: 'USD' })).toBe('400 3100')
    expect(await refusalTo({ name: 'pisp-2', type: 'PISP', currency: 'USD' })).toBe('400 3100')
    expect(await refusalTo({ name: 'dfsp-2', type: 'DFSP' })).toBe('400 3102')
    expect(await refusalTo({ name: 'dfsp-2' })).toBe('400 3102')
    expect(await refusalTo({ name: 'auth-2', type: 'AUTH_SERVICE' })).toBe('400 3101')
  })

  test('A participant can be deactivated and activated repeatedly', async () => {
    await admin.call('POST', '/participants', { name: 'switched', currency: 'USD' })
    for (const [isActive, shown] of [
      [true, 1],
      [true, 1],
      ['false', 0],
    ] as const) {
      const { status, json } = await admin.call('PUT', '/participants/switched', { isActive })
      expect([status, json]).toMatchObject([200, { name: 'switched', isActive: shown }])
    }
  })
})

describe('limits and positions', () => {
  test('Limits and positions are set once, and activate the accounts', async () => {
    await admin.call('POST', '/participants', { name: 'limited', currency: 'USD' })
    const begun = await admin.call('POST', '/participants/limited/initialPositionAndLimits', {
      currency: 'USD',
      limit: { type: 'NET_DEBIT_CAP', value: 12.5 },
      initialPosition: '-3.25',
    })
    expect([begun.status, begun.text]).toEqual([201, ''])
    expect((await accountsOf(admin, 'limited')).map(({ isActive }) => isActive)).toEqual([1, 1])
    const limits = await admin.call('GET', '/participants/limited/limits')
    expect(limits.text).toBe(
      '[{"currency":"USD","limit":{"type":"NET_DEBIT_CAP","value":12.5,"alarmPercentage":10}}]',
    )
    await admin.call('PUT', '/participants/limited', { isActive: true })
    const positions = await admin.call('GET', '/participants/limited/positions?currency=USD')
    expect(positions.json).toEqual([{ currency: 'USD', value: -3.25, changedDate: time }])
  })

  test('Limits retain every digit, in requests and answers', async () => {
    await onboard(admin, 'exact')
    const body =
      '{"currency":"USD","limit":{"type":"NET_DEBIT_CAP","value":123456789012345678.1234,"alarmPercentage":"12.5"}}'
    const changed = await admin.call('PUT', '/participants/exact/limits', body)
    expect([changed.status, changed.text]).toEqual([200, body.replace('"12.5"', '12.5')])
    const { text } = await admin.call('GET', '/participants/exact/limits')
    expect(text).toContain('"value":123456789012345678.1234,')
  })

  test('Limits retain their alarm percentage when only the value changes', async () => {
    await onboard(admin, 'alarmed')
    const limit = (more: object) => ({ currency: 'USD', limit: { type: 'NET_DEBIT_CAP', ...more } })
    await admin.call(
      'PUT',
      '/participants/alarmed/limits',
      limit({ value: 1, alarmPercentage: 33 }),
    )
    const { json } = await admin.call('PUT', '/participants/alarmed/limits', limit({ value: '2' }))
    expect(json).toEqual(limit({ value: 2, alarmPercentage: 33 }))
  })

  test('Limits are listed by currency and type, for all active participants', async () => {
    await onboard(admin, 'listed')
    const list = async (query: string) => {
      const rows = (await admin.call('GET', `/participants/limits${query}`)).json
      return (rows as { name: string }[]).filter(({ name }) => name === 'listed')
    }
    const row = {
      name: 'listed',
      currency: 'USD',
      limit: { type: 'NET_DEBIT_CAP', value: 1000, alarmPercentage: 10 },
    }
    expect(await list('')).toEqual([row])
    expect(await list('?currency=USD&limit=NET_DEBIT_CAP&colour=red')).toEqual([row])
    expect(await list('?currency=EUR')).toEqual([])
    expect(await list('?type=SOMETHING')).toEqual([])
    expect(await list('?limit=NET_DEBIT_CAP&type=SOMETHING')).toEqual([row])
    await admin.call('PUT', '/participants/listed', { isActive: false })
    expect(await list('')).toEqual([])
    expect((await admin.call('GET', '/participants/listed/positions')).json).toEqual([])
    expect((await admin.call('GET', '/participants/listed/limits')).json).toHaveLength(1)
  })

  test('The limits of a participant without any are an empty list', async () => {
    await admin.call('POST', '/participants', { name: 'bare', currency: 'USD' })
    expect((await admin.call('GET', '/participants/bare/limits')).json).toEqual([])
    expect((await admin.call('GET', '/participants/bare/positions')).json).toEqual([])
    expect(await accountsOf(admin, 'bare')).toMatchObject([
      { ledgerAccountType: 'POSITION', value: 0, reservedValue: 0 },
      { ledgerAccountType: 'SETTLEMENT', value: 0, reservedValue: 0 },
    ])
  })
})

describe('accounts and funds', () => {
  test('A deposit makes the settlement account negative and the bank account positive', async () => {
    await onboard(admin, 'funded')
    const before = await accountOf(admin, 'Hub', 'HUB_RECONCILIATION')
    const { id } = await accountOf(admin, 'funded', 'SETTLEMENT')
    const path = `/participants/funded/accounts/${id}`
    const extensionList = { extension: [{ key: 'slip', value: '7' }] }
    const body = deposit({ amount: { amount: 100.5, currency: 'USD' }, extensionList })
    const taken = [await admin.call('POST', path, body), await admin.call('POST', path, body)]
    expect(taken.map(({ status, text }) => [status, text])).toEqual([
      [202, ''],
      [202, ''],
    ])
    expect(await accountOf(admin, 'funded', 'SETTLEMENT')).toMatchObject({ value: -100.5 })
    const after = await accountOf(admin, 'Hub', 'HUB_RECONCILIATION')
    expect(after.value - before.value).toBe(100.5)
    const changed = { ...body, reason: 'second thoughts' }
    const refused = await admin.call('POST', path, changed)
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({ errorInformation: { errorCode: '3106' } })
  })

  test('A deactivated account takes no funds until it is active again', async () => {
    await onboard(admin, 'closed')
    const { id } = await accountOf(admin, 'closed', 'SETTLEMENT')
    const path = `/participants/closed/accounts/${id}`
    const off = await admin.call('PUT', path, { isActive: false })
    expect([off.status, off.text]).toEqual([200, ''])
    expect(await accountOf(admin, 'closed', 'SETTLEMENT')).toMatchObject({ isActive: 0 })
    const refused = await admin.call('POST', path, deposit())
    expect(refused.json).toMatchObject({ errorInformation: { errorCode: '3100' } })
    await admin.call('PUT', path, { isActive: true })
    expect((await admin.call('POST', path, deposit())).status).toBe(202)
  })

  test('The id of a deposit can be a ULID', async () => {
    await onboard(admin, 'ulid')
    const { id } = await accountOf(admin, 'ulid', 'SETTLEMENT')
    const body = deposit({ transferId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })
    expect((await admin.call('POST', `/participants/ulid/accounts/${id}`, body)).status).toBe(202)
  })
})

describe('endpoints', () => {
  test('Endpoints are added and replaced, one per type', async () => {
    await onboard(admin, 'reached')
    const path = '/participants/reached/endpoints'
    const type = 'FSPIOP_CALLBACK_URL_TRANSFER_PUT'
    for (const port of [1, 2]) {
      const value = `http://fsp.example:${port}/transfers/{{transferId}}`
      const added = await admin.call('POST', path, { type, value })
      expect([added.status, added.text]).toEqual([201, ''])
    }
    const stored = { type, value: 'http://fsp.example:2/transfers/{{transferId}}' }
    const base = { type: 'FSPIOP_CALLBACK_URL', value: 'https://reached.example' }
    expect((await admin.call('GET', path)).json).toEqual([base, stored])
    expect((await admin.call('GET', `${path}?type=${type}`)).json).toEqual(stored)
    expect((await admin.call('GET', `${path}?type=OTHER`)).json).toEqual({})
  })

  test('Endpoints of the hub are e-mail addresses', async () => {
    const added = await admin.call('POST', '/participants/Hub/endpoints', {
      type: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL',
      value: 'operator@hub.example',
    })
    expect(added.status).toBe(201)
  })
})

describe('settlement models', () => {
  const shown = {
    settlementModelId: expect.any(Number) as unknown,
    name: 'DEFERREDNET',
    isActive: true,
    settlementGranularity: 'NET',
    settlementInterchange: 'MULTILATERAL',
    settlementDelay: 'DEFERRED',
    currency: 'USD',
    requireLiquidityCheck: true,
    ledgerAccountTypeId: 'POSITION',
    settlementAccountType: 'SETTLEMENT',
    autoPositionReset: true,
  }

  test('Settlement models are shown with the name of their account type', async () => {
    expect((await admin.call('GET', '/settlementModels/DEFERREDNET')).json).toEqual(shown)
    expect((await admin.call('GET', '/settlementModels')).json).toContainEqual(shown)
  })

  test('Settlement models are created with either name of the account type, and without settlement account', async () => {
    const created = await admin.call('POST', '/settlementModels', {
      ...deferredNet,
      name: 'FEES',
      currency: 'EUR',
      ledgerAccountType: undefined,
      ledgerAccountTypeId: 'POSITION',
      settlementAccountType: undefined,
      requireLiquidityCheck: 'false',
    })
    expect([created.status, created.text]).toEqual([201, ''])
    expect((await admin.call('GET', '/settlementModels/FEES')).json).toMatchObject({
      currency: 'EUR',
      requireLiquidityCheck: false,
      ledgerAccountTypeId: 'POSITION',
    })
  })

  test('Settlement models are deactivated and activated, and always listed', async () => {
    const path = '/settlementModels/DEFERREDNET'
    for (const [isActive, now] of [
      [false, false],
      [false, false],
      ['true', true],
    ]) {
      const changed = await admin.call('PUT', path, { isActive })
      expect([changed.status, changed.json]).toEqual([200, { ...shown, isActive: now }])
      expect((await admin.call('GET', path)).json).toEqual(changed.json)
      expect((await admin.call('GET', '/settlementModels')).json).toContainEqual(changed.json)
    }
    const unknown = await admin.call('PUT', '/settlementModels/NOTHING', { isActive: true })
    expect([unknown.status, unknown.json]).toMatchObject([
      404,
      { errorInformation: { errorCode: '3200' } },
    ])
  })

  test('Settlement models of interchange fees define the fee of each payment', async () => {
    const fees = {
      ...deferredNet,
      name: 'INTERCHANGE',
      currency: 'GBP',
      ledgerAccountType: 'INTERCHANGE_FEE',
      settlementAccountType: undefined,
      interchangeFeePercentage: '0.6',
    }
    expect((await admin.call('POST', '/settlementModels', fees)).status).toBe(201)
    expect((await admin.call('GET', '/settlementModels/INTERCHANGE')).json).toMatchObject({
      ledgerAccountTypeId: 'INTERCHANGE_FEE',
      settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
      interchangeFeePercentage: 0.6,
    })
  })
})

test('The types of accounts are fixed', async () => {
  const { json } = await admin.call('GET', '/ledgerAccountTypes')
  expect(json).toContainEqual(expect.objectContaining({ name: 'POSITION', isSettleable: true }))
  // It is known, and no account of it can be opened.
  expect(json).toContainEqual(expect.objectContaining({ name: 'HUB_FEE', isActive: false }))
  expect((await admin.call('POST', '/ledgerAccountTypes')).status).toBe(501)
})

test('The request to refresh caches is accepted, and has no effect', async () => {
  expect((await admin.call('DELETE', '/endpointcache')).status).toBe(202)
})

test('GET /health names the services behind the API', async () => {
  const { status, json } = await admin.call('GET', '/health')
  expect(status).toBe(200)
  expect(json).toEqual({
    status: 'OK',
    services: [
      'participant-lifecycle',
      'settlements',
      'quoting',
      'transfers',
      'auth-service',
      'account-lookup',
      'notifications',
      'scheduler',
      'audit',
      'config',
    ].map((name) => ({ name, status: 'OK' })),
  })
})

test('A hub without faults verifies clean', async () => {
  const { status, json } = await admin.call('POST', '/verify')
  expect(status).toBe(200)
  expect(json).toEqual({
    clean: true,
    compared: {
      accounts: expect.any(Number),
      entries: 0,
      transfers: 0,
      windows: 0,
      bulkTransfers: 0,
      consents: 0,
      verifications: 0,
      thirdPartyTransactions: 0,
    },
    differences: [],
  })
})

test('Money that the ledger holds for an unknown transfer is found', async () => {
  await onboard(admin, 'lostpayer')
  await onboard(admin, 'lostpayee')
  const { id } = await accountOf(admin, 'lostpayer', 'SETTLEMENT')
  await admin.call('POST', `/participants/lostpayer/accounts/${id}`, deposit())
  const transferId = randomUUID()
  const parties = { payerFsp: 'lostpayer', payeeFsp: 'lostpayee' }
  expect(await admin.reserve({ transferId, ...parties })).toBe('RESERVED')
  const { json } = await admin.call('POST', '/verify')
  expect(json).toMatchObject({
    clean: false,
    compared: { entries: 1, transfers: 0 },
    differences: [`the ledger holds ${transferId} as RESERVED, but there is no such transfer`],
  })
}, 15_000)
