import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type AdminWorld } from './testing/world.ts'
import { deferredNet } from './testing/scheme.ts'

const services = [participantLifecycle, settlements, transfers] as const

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld(services, { COMPATIBILITY: 'mojaloop' })
})

afterAll(() => admin.stop())

async function answerTo(method: string, path: string, body?: unknown) {
  const { status, json } = await admin.call(method, path, body)
  const error = (json as { errorInformation?: { errorCode: string } } | undefined)?.errorInformation
  return [status, error?.errorCode]
}

const begin = { currency: 'USD', limit: { type: 'NET_DEBIT_CAP', value: 1000 } }

test('A Mojaloop onboarding script gets the answers that it expects', async () => {
  for (const type of ['HUB_MULTILATERAL_SETTLEMENT', 'HUB_RECONCILIATION']) {
    const hubAccount = { currency: 'USD', type }
    expect((await admin.call('POST', '/participants/Hub/accounts', hubAccount)).status).toBe(201)
    expect(await answerTo('POST', '/participants/Hub/accounts', hubAccount)).toEqual([400, '3003'])
  }
  expect((await admin.call('POST', '/settlementModels', deferredNet)).status).toBe(201)

  const payer = { name: 'payerfsp', currency: 'USD' }
  const created = await admin.call('POST', '/participants', payer)
  expect(created.status).toBe(201)
  expect(created.json).toMatchObject({ name: 'payerfsp', isActive: 1 })
  expect(await answerTo('POST', '/participants', payer)).toEqual([400, '3000'])
  expect(await answerTo('POST', '/participants', { ...payer, currency: 'EUR' })).toEqual([
    400,
    '3003',
  ])

  expect((await admin.call('GET', '/participants/payerfsp/accounts')).json).toEqual([])
  const path = '/participants/payerfsp/initialPositionAndLimits'
  expect((await admin.call('POST', path, begin)).status).toBe(201)
  expect(await answerTo('POST', path, begin)).toEqual([500, '2001'])
  expect((await admin.call('GET', '/participants/payerfsp/accounts')).json).toMatchObject([
    { ledgerAccountType: 'POSITION', value: 0 },
    { ledgerAccountType: 'SETTLEMENT', value: 0 },
  ])
  expect((await admin.call('GET', '/participants/Hub/accounts')).json).toHaveLength(2)
})

test('The hosted auth service is found under its name in any case, so that onboarding it as centralauth works', async () => {
  const asked = { name: 'centralauth', currency: 'USD' }
  expect(await answerTo('POST', '/participants', asked)).toEqual([400, '3000'])
  const endpoint = { type: 'TP_CB_URL_CONSENT_POST', value: 'http://auth.example' }
  expect((await admin.call('POST', '/participants/centralauth/endpoints', endpoint)).status).toBe(
    201,
  )
  for (const name of ['centralauth', 'centralAuth', 'CENTRALAUTH']) {
    expect((await admin.call('GET', `/participants/${name}`)).json).toMatchObject({
      name: 'centralAuth',
    })
    expect((await admin.call('GET', `/participants/${name}/endpoints`)).json).toMatchObject([
      endpoint,
    ])
  }
  expect((await admin.call('GET', '/participants/PAYERFSP')).status).toBe(400)
})

test('Positions are an object when a currency is given, else a list', async () => {
  const path = '/participants/payerfsp/positions'
  expect((await admin.call('GET', `${path}?currency=USD`)).json).toMatchObject({
    currency: 'USD',
    value: 0,
  })
  expect((await admin.call('GET', `${path}?currency=EUR`)).json).toEqual({})
  expect((await admin.call('GET', path)).json).toHaveLength(1)
})

test('An unknown participant is 400', async () => {
  expect(await answerTo('GET', '/participants/nobody')).toEqual([400, '3200'])
})

test('A model without a currency applies to the currencies that have none of their own', async () => {
  const model = { ...deferredNet, name: 'DEFAULTNET', currency: undefined }
  expect((await admin.call('POST', '/settlementModels', model)).status).toBe(201)
  const { json } = await admin.call('GET', '/settlementModels/DEFAULTNET')
  expect(json).toHaveProperty('currency', null)
})

test('A search for windows without a result is 400, and so is an unknown window', async () => {
  expect(await answerTo('GET', '/v2/settlementWindows?currency=EUR')).toEqual([400, '3100'])
  expect(await answerTo('GET', '/v2/settlementWindows/999')).toEqual([400, '3100'])
  expect(await answerTo('GET', '/settlementWindows/999')).toEqual([400, '3100'])
  expect(await answerTo('GET', '/v2/settlements/999')).toEqual([400, '3100'])
  const unknown = '/transactions/b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'
  expect(await answerTo('GET', unknown)).toEqual([400, '3200'])
})
