/**
 * The hub sends e-mails when a position comes near its limit or a request waits for a decision;
 * settlement windows close on schedule.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { openMailbox, type Mailbox } from './parties/mailbox.ts'
import { answered } from './operator/operator.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer, type Transfer } from './fsp/transfer.ts'

let mailbox: Mailbox
let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  mailbox = await openMailbox()
  scheme = await openSchemeOfFsps({
    NOTIFICATIONS_SMTP_URL: mailbox.url,
    NOTIFICATIONS_SMTP_TLS: 'if-offered',
    NOTIFICATIONS_MAIL_FROM: 'Hub <hub@hub.example>',
  })
  payer = await scheme.join('greenbank', { netDebitCap: '1000', funds: '5000' })
  payee = await scheme.join('bluewallet')
  for (const type of ['NET_DEBIT_CAP_THRESHOLD_BREACH_EMAIL', 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL']) {
    await setAddress('greenbank', type, 'desk@greenbank.example')
    await setAddress('Hub', type, 'risk@hub.example')
  }
})

afterAll(async () => {
  await scheme.stop()
  await mailbox.stop()
})

async function setAddress(name: string, type: string, value: string): Promise<void> {
  await answered(scheme.operator.call('POST', `/participants/${name}/endpoints`, { type, value }))
}

async function prepare(amount: string): Promise<Transfer> {
  const transfer = newTransfer(payer, payee, { amount })
  const to = { 'fspiop-destination': payee.name }
  expect((await payer.send('POST', '/transfers', transfer.request, to)).status).toBe(202)
  return transfer
}

async function reserve(amount: string): Promise<Transfer> {
  const transfer = await prepare(amount)
  await payee.await(about(transfer.transferId, 'POST'))
  return transfer
}

async function answer({ transferId }: Transfer, path: string, body: unknown): Promise<void> {
  const to = { 'fspiop-destination': payer.name }
  await payee.send('PUT', `/transfers/${transferId}${path}`, body, to)
  await payer.await(about(transferId, 'PUT', path !== ''))
}

const near = /: greenbank: [\d.]+ % of the USD limit remain/

test('At 90 percent of the cap the FSP and the hub receive one alarm, and another one after the position has recovered', async () => {
  await reserve('899')
  const first = await reserve('1')
  const mails = [
    'desk@greenbank.example: greenbank: 10 % of the USD limit remain',
    'risk@hub.example: greenbank: 10 % of the USD limit remain',
  ]
  expect((await mailbox.await(near, 2)).toSorted()).toEqual(mails)
  await answer(await reserve('50'), '/error', rejection)
  await answer(first, '/error', rejection)
  await reserve('1')
  expect((await mailbox.await(near, 4)).toSorted()).toEqual([...mails, ...mails].toSorted())
}, 60_000)

test('The operator sees the active alarms of an FSP', async () => {
  const alarms = await answered(scheme.operator.call('GET', '/alarms?participantId=greenbank'))
  expect(alarms).toMatchObject([
    { kind: 'THRESHOLD', currency: 'USD', limit: 1000, notifications: 1 },
  ])
  expect(await answered(scheme.operator.call('GET', '/alarms?participantId=bluewallet'))).toEqual(
    [],
  )
})

const rejection = {
  errorInformation: { errorCode: '5104', errorDescription: 'Payee rejected' },
}

test('A transfer that is refused for lack of liquidity and a changed limit are reported by e-mail', async () => {
  const refused = await prepare('500')
  const error = errorOf(await payer.await(about(refused.transferId, 'PUT', true)))
  expect(error.errorCode).toBe('4200')
  expect(await mailbox.await(/refused for lack of liquidity/, 2)).toHaveLength(2)
  const limit = { type: 'NET_DEBIT_CAP', value: '5000', alarmPercentage: 10 }
  await answered(
    scheme.operator.call('PUT', '/participants/greenbank/limits', { currency: 'USD', limit }),
  )
  expect((await mailbox.await(/the USD limit is 5000/, 2)).toSorted()).toEqual([
    'desk@greenbank.example: greenbank: the USD limit is 5000',
    'risk@hub.example: greenbank: the USD limit is 5000',
  ])
  expect(await mailbox.await(near, 4)).toHaveLength(4)
}, 60_000)

test('A request is mailed to the operators who may decide it, and not to its maker', async () => {
  const { operator } = scheme
  await answered(operator.call('PUT', '/operators/administrator', { email: 'root@hub.example' }))
  const checker = { name: 'grace', roles: ['checker'], email: 'grace@hub.example' }
  await answered(operator.call('POST', '/operators', checker))
  const change = { participantId: 'bluewallet', newState: 'SUSPENDED', reason: 'as agreed' }
  await answered(operator.call('POST', '/UpdateParticipantState', change))
  expect(await mailbox.await(/waits for a decision/, 1)).toEqual([
    'grace@hub.example: bluewallet: UpdateParticipantState waits for a decision',
  ])
})

test('The scheduler closes a window with a committed transfer at its time', async () => {
  await answered(
    scheme.operator.call('PUT', '/settlementModels/DEFERREDNETUSD', {
      isActive: true,
      windowClosingCron: '* * * * * *',
    }),
  )
  const transfer = await reserve('7')
  await answer(transfer, '', committed(transfer))
  interface Window {
    readonly state: string
    readonly reason: string
  }
  const late_ms = Date.now() + 20_000
  let closed: Window | undefined
  while (closed === undefined && Date.now() < late_ms) {
    const windows = await answered<readonly Window[]>(
      scheme.operator.call('GET', '/v2/settlementWindows?state=CLOSED'),
    ).catch(() => [])
    closed = windows[0]
  }
  expect(closed?.reason).toMatch(/^schedule \d{4}-\d\d-\d\dT/)
  expect(await scheme.verify()).toMatchObject({ differences: [] })
}, 60_000)
