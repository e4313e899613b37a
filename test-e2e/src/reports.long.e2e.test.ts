/**
 * The end of a day: the hub makes a report for each FSP and for the operator, once. Both fetch them,
 * and get them by e-mail.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { openMailbox, type Mailbox } from './parties/mailbox.ts'
import { answered } from './operator/operator.ts'
import { openSchemeOfFsps, type OwnScheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './fsp/transfer.ts'

let mailbox: Mailbox
let scheme: OwnScheme
let payer: Fsp
let payee: Fsp
const today = new Date().toISOString().slice(0, 10)

beforeAll(async () => {
  mailbox = await openMailbox()
  scheme = await openSchemeOfFsps({
    SETTLEMENTS_REPORTS_DELAY_MS: '1000',
    SETTLEMENTS_REPORTS_FSP_URL: 'https://hub.example',
    NOTIFICATIONS_SMTP_URL: mailbox.url,
    NOTIFICATIONS_SMTP_TLS: 'if-offered',
    NOTIFICATIONS_MAIL_FROM: 'Hub <hub@hub.example>',
  })
  payer = await scheme.join('greenbank', { netDebitCap: '1000', funds: '5000' })
  payee = await scheme.join('bluewallet')
  const type = 'END_OF_DAY_REPORT_EMAIL'
  for (const [name, value] of [
    ['greenbank', 'desk@greenbank.example'],
    ['bluewallet', 'desk@bluewallet.example'],
    ['Hub', 'operations@hub.example'],
  ]) {
    await answered(scheme.operator.call('POST', `/participants/${name}/endpoints`, { type, value }))
  }
  await deliver('greenbank', 'ATTACHMENT')
  await deliver('bluewallet', 'OFF')
})

afterAll(async () => {
  await scheme.stop()
  await mailbox.stop()
})

async function deliver(name: string, delivery: string): Promise<void> {
  const path = `/participants/${name}/reportDelivery`
  await answered(scheme.operator.call('PUT', path, { delivery }))
}

async function payOnce(amount: string): Promise<void> {
  const transfer = newTransfer(payer, payee, { amount })
  await payer.send('POST', '/transfers', transfer.request, { 'fspiop-destination': payee.name })
  await payee.await(about(transfer.transferId, 'POST'))
  const path = `/transfers/${transfer.transferId}`
  await payee.send('PUT', path, committed(transfer), { 'fspiop-destination': payer.name })
  await payer.await(about(transfer.transferId, 'PUT'))
}

async function beRefused(amount: string): Promise<void> {
  const transfer = newTransfer(payer, payee, { amount })
  await payer.send('POST', '/transfers', transfer.request, { 'fspiop-destination': payee.name })
  await payer.await(about(transfer.transferId, 'PUT', true))
}

const late_ms = 60_000

async function until<Value>(read: () => Promise<Value | undefined>, what: string): Promise<Value> {
  const end = Date.now() + late_ms
  for (;;) {
    const value = await read()
    if (value !== undefined) return value
    if (Date.now() > end) throw new Error(`${what} is missing`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

interface Listed {
  readonly day: string
  readonly version: number
  readonly sha256: string
}

async function reportsOf(query: string): Promise<readonly Listed[]> {
  return answered<readonly Listed[]>(scheme.operator.call('GET', `/reports${query}`))
}

async function settled(fsp: Fsp, count: number): Promise<true> {
  return until(async () => {
    const { body } = await fsp.send('GET', `/reconciliation?day=${today}`)
    const { transfers } = JSON.parse(body) as { readonly transfers: readonly unknown[] }
    return transfers.length === count || undefined
  }, `${count} transfers of the day`)
}

test('After the end of the day each FSP fetches its own report, and the operator that of all', async () => {
  await payOnce('100')
  await payOnce('2.5')
  await beRefused('2000')
  await settled(payer, 3)
  const order = { day: today, endsNow: true }
  expect(await answered(scheme.operator.call('POST', '/reports', order))).toMatchObject({
    day: today,
    requested: true,
  })
  const [ofAll] = await until(async () => {
    const found = await reportsOf('')
    return found.length > 0 ? found : undefined
  }, 'the report of the day')
  expect(ofAll).toMatchObject({
    day: today,
    version: 1,
    currencies: [{ currency: 'USD', sent: { count: 2, value: 102.5 }, failures: 1 }],
  })

  const list = JSON.parse((await payer.send('GET', '/reports')).body) as {
    readonly reports: readonly Listed[]
  }
  const { body, status } = await payer.send('GET', `/reports/${today}`)
  expect(status).toBe(200)
  expect(createHash('sha256').update(body).digest('hex')).toBe(list.reports[0]?.sha256)
  expect(JSON.parse(body)).toMatchObject({
    participant: 'greenbank',
    currencies: [
      {
        sent: { total: { count: 2, value: '102.5' } },
        received: { total: { count: 0, value: '0' } },
        failures: { sent: [{ errorCode: '4200', count: 1, value: '2000' }] },
        latency: { sent: { count: 2 } },
        position: '102.5',
      },
    ],
  })
  const ofPayee = await payee.send('GET', `/reports/${today}?format=csv`)
  expect(ofPayee.body).toContain('bluewallet,USD,received,total,2,102.5')
  expect(ofPayee.body).not.toContain('greenbank')
  const page = await payee.send('GET', `/reports/${today}?format=html`)
  expect(page.body).toContain(`End-of-day report of bluewallet, ${today}`)
}, 120_000)

test('Reports are sent by e-mail to those who want them, and to no other', async () => {
  const subject = /end-of-day report of/
  expect((await mailbox.await(subject, 2)).toSorted()).toEqual([
    `desk@greenbank.example: greenbank: end-of-day report of ${today}`,
    `operations@hub.example: Hub: end-of-day report of ${today}`,
  ])
}, 60_000)

test('A restart and another order make no other version of a day without changes', async () => {
  const before = await reportsOf('?participant=greenbank')
  await scheme.killAndRestart()
  await answered(scheme.operator.call('POST', '/reports', { day: today }))
  // The next day's payments are in none of its versions.
  await payOnce('7')
  await settled(payer, 4)
  expect(await reportsOf('?participant=greenbank')).toEqual(before)
  expect(await scheme.verify()).toMatchObject({ differences: [] })
}, 120_000)
