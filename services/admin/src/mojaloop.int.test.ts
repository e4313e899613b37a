import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type World } from './testing/world.ts'
import { deferredNet } from './testing/scheme.ts'

const services = [participantLifecycle, settlements, transfers] as const

let admin: World

beforeAll(async () => {
  admin = await openWorld(services, { COMPATIBILITY: 'mojaloop' })
})

afterAll(() => admin.stop())

async function told(method: string, path: string, body?: unknown) {
  const { status, json } = await admin.call(method, path, body)
  const error = (json as { errorInformation?: { errorCode: string } } | undefined)?.errorInformation
  return [status, error?.errorCode]
}

const begin = { currency: 'USD', limit: { type: 'NET_DEBIT_CAP', value: 1000 } }

test("an onboarding script of Mojaloop's finds the answers that it waits for", async () => {
  for (const type of ['HUB_MULTILATERAL_SETTLEMENT', 'HUB_RECONCILIATION']) {
    const hubAccount = { currency: 'USD', type }
    expect((await admin.call('POST', '/participants/Hub/accounts', hubAccount)).status).toBe(201)
    expect(await told('POST', '/participants/Hub/accounts', hubAccount)).toEqual([400, '3003'])
  }
  expect((await admin.call('POST', '/settlementModels', deferredNet)).status).toBe(201)

  const payer = { name: 'payerfsp', currency: 'USD' }
  const created = await admin.call('POST', '/participants', payer)
  expect(created.status).toBe(201)
  expect(created.json).toMatchObject({ name: 'payerfsp', isActive: 1 })
  expect(await told('POST', '/participants', payer)).toEqual([400, '3000'])
  expect(await told('POST', '/participants', { ...payer, currency: 'EUR' })).toEqual([400, '3003'])

  expect((await admin.call('GET', '/participants/payerfsp/accounts')).json).toEqual([])
  const path = '/participants/payerfsp/initialPositionAndLimits'
  expect((await admin.call('POST', path, begin)).status).toBe(201)
  expect(await told('POST', path, begin)).toEqual([500, '2001'])
  expect((await admin.call('GET', '/participants/payerfsp/accounts')).json).toMatchObject([
    { ledgerAccountType: 'POSITION', value: 0 },
    { ledgerAccountType: 'SETTLEMENT', value: 0 },
  ])
  expect((await admin.call('GET', '/participants/Hub/accounts')).json).toHaveLength(2)
})

test('positions are an object when a currency is asked for, else a list', async () => {
  const path = '/participants/payerfsp/positions'
  expect((await admin.call('GET', `${path}?currency=USD`)).json).toMatchObject({
    currency: 'USD',
    value: 0,
  })
  expect((await admin.call('GET', `${path}?currency=EUR`)).json).toEqual({})
  expect((await admin.call('GET', path)).json).toHaveLength(1)
})

test('an unknown participant is 400', async () => {
  expect(await told('GET', '/participants/nobody')).toEqual([400, '3200'])
})

test('a model without currency serves the currencies that have none of their own', async () => {
  const model = { ...deferredNet, name: 'DEFAULTNET', currency: undefined }
  expect((await admin.call('POST', '/settlementModels', model)).status).toBe(201)
  const { json } = await admin.call('GET', '/settlementModels/DEFAULTNET')
  expect(json).toHaveProperty('currency', null)
})

test('a search for windows without a hit is 400, and what is unknown is 400', async () => {
  expect(await told('GET', '/v2/settlementWindows?currency=EUR')).toEqual([400, '3100'])
  expect(await told('GET', '/v2/settlementWindows/999')).toEqual([400, '3100'])
  expect(await told('GET', '/settlementWindows/999')).toEqual([400, '3100'])
  expect(await told('GET', '/v2/settlements/999')).toEqual([400, '3100'])
  const unknown = '/transactions/b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'
  expect(await told('GET', unknown)).toEqual([400, '3200'])
})
