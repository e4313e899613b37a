import { createHash } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import { transfersService } from '@causeway/protos'
import * as quoting from '@causeway/quoting'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fulfil, newPayment, request } from '../testing/payments.ts'
import { accountOf, deposit, onboard, openScheme } from '../testing/scheme.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'

const services = [participantLifecycle, settlements, transfers, quoting, authService] as const
const today = new Date().toISOString().slice(0, 10)

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld(services, { SETTLEMENTS_REPORTS_DELAY_MS: '3000' })
  await openScheme(admin)
  for (const name of ['green', 'blue']) {
    await onboard(admin, name)
    const { id } = await accountOf(admin, name, 'SETTLEMENT')
    await admin.call('POST', `/participants/${name}/accounts/${id}`, deposit())
  }
  const payment = newPayment('green', 'blue', '12.5')
  const { GetTransferStates } = admin.parts.grpc.client(transfersService, 'transfers')
  const reached = (state: string) =>
    eventually(async () => {
      const answer = await GetTransferStates({ ids: [payment.transferId] })
      return answer.transfers[0]?.state === state ? true : undefined
    }, state)
  await request(admin, payment)
  await reached('RESERVED')
  await fulfil(admin, payment)
  await reached('COMMITTED')
}, 60_000)

afterAll(() => admin.stop())

interface Listed {
  readonly day: string
  readonly version: number
  readonly sha256: string
}

function listed(query = ''): Promise<Listed> {
  return eventually(
    async () => {
      const { json } = await admin.call('GET', `/reports${query}`)
      const [first] = json as readonly Listed[]
      return first
    },
    'the report',
    30_000,
  )
}

test('An operator ends the day, sees that its reports are requested, and reads them when they are made', async () => {
  const order = { day: today, endsNow: true }
  expect(await admin.call('POST', '/reports', order)).toMatchObject({
    status: 202,
    json: { day: today, scope: null, version: 0, requested: true },
  })
  expect((await admin.call('GET', '/reports/requested')).json).toEqual([
    { day: today, scope: null, reason: 'OPERATOR', dueAt: expect.any(String), lastError: null },
  ])
  expect(await listed()).toMatchObject({
    day: today,
    version: 1,
    currencies: [
      { currency: 'USD', sent: { count: 1, value: 12.5 }, received: { count: 1, value: 12.5 } },
    ],
  })
  expect(await listed('?participant=green')).toMatchObject({
    currencies: [{ sent: { count: 1, value: 12.5 }, received: { count: 0, value: 0 } }],
  })
  expect((await admin.call('GET', '/reports/requested')).json).toEqual([])
})

test('The JSON of a report has the hash of the list; CSV and the page have the same figures', async () => {
  const { sha256 } = await listed('?participant=green')
  const path = `/reports/${today}?participant=green`
  const { text, json } = await admin.call('GET', path)
  expect(createHash('sha256').update(text).digest('hex')).toBe(sha256)
  expect(json).toMatchObject({ participant: 'green', currencies: [{ position: '12.5' }] })
  const csv = await admin.call('GET', `${path}&format=csv`)
  expect(csv.headers.get('content-disposition')).toContain(`report-green-${today}-v1.csv`)
  expect(csv.text).toContain('green,USD,sent,total,1,12.5')
  const page = await admin.call('GET', path, undefined, { accept: 'text/html' })
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.text).toContain(`End-of-day report of green, ${today}`)
})

test('A report that does not exist, and a day that is not over, are refused', async () => {
  expect((await admin.call('GET', '/reports/2020-01-01')).status).toBe(404)
  expect((await admin.call('GET', '/reports/yesterday')).status).toBe(400)
  expect((await admin.call('POST', '/reports', { day: '2099-01-01' })).status).toBe(400)
})

test('An operator sets how a participant, and the hub, get their reports by e-mail', async () => {
  const path = '/participants/green/reportDelivery'
  expect((await admin.call('GET', path)).json).toEqual({ delivery: 'LINK' })
  const set = await admin.call('PUT', path, { delivery: 'ATTACHMENT' })
  expect([set.status, set.json]).toEqual([200, { delivery: 'ATTACHMENT' }])
  expect((await admin.call('GET', path)).json).toEqual({ delivery: 'ATTACHMENT' })
  expect((await admin.call('PUT', path, { delivery: 'FAX' })).status).toBe(400)
  await admin.call('PUT', '/participants/Hub/reportDelivery', { delivery: 'OFF' })
  expect((await admin.call('GET', '/participants/Hub/reportDelivery')).json).toEqual({
    delivery: 'OFF',
  })
  expect((await admin.call('GET', '/participants/nobody/reportDelivery')).status).toBe(404)
})
