import {
  depositTo,
  onboard,
  openHubAccounts,
  openWorld,
  prepare,
  prepareItem,
  release,
  releaseItem,
  succeeded,
  wordsOf,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { wordOf } from '@causeway/approvals/testing'
import type { Subscribed } from '@causeway/bus'
import { newEvent, onEvents } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { alarmsService, liquidityService } from '@causeway/protos'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld
let subscription: Subscribed
/** "address: subject" of every requested e-mail, in order. */
let mails: string[]

beforeEach(async () => {
  mails = []
  hub = await openWorld()
  await listen()
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank', '1000', '5000')
  await onboard(hub, 'bluewallet', '1000', '5000')
  for (const [name, address] of [
    ['greenbank', 'desk@greenbank.example'],
    ['Hub', 'risk@hub.example'],
  ] as const) {
    await setEndpoint(name, 'NET_DEBIT_CAP_THRESHOLD_BREACH_EMAIL', address)
  }
})

afterEach(async () => {
  await subscription.stop()
  await hub.stop()
})

async function listen(): Promise<void> {
  subscription = await onEvents(hub.parts.bus, 'test_mails', ['NotifyRequested'], (events) => {
    for (const { payload } of events) {
      const { transport } = payload
      if (transport.type === 'EMAIL') mails.push(`${transport.address}: ${transport.subject}`)
    }
    return Promise.resolve()
  })
}

async function setEndpoint(name: string, type: string, value: string): Promise<void> {
  succeeded(await hub.participants.UpdateEndpoint({ name, type, value, createdBy: 'ada' }))
}

async function setLimit(value: string, alarmPercentage?: string): Promise<void> {
  const limit = { type: 'NET_DEBIT_CAP', value, alarmPercentage }
  succeeded(
    await hub.participants.UpdateParticipantAccountLimit({
      name: 'greenbank',
      currency: 'USD',
      limit,
    }),
  )
}

/**
 * All e-mails so far: a later one of the same participant has arrived. It goes to a separate
 * address, which may also receive one about an earlier limit.
 */
async function allMails(): Promise<readonly string[]> {
  const address = 'last@greenbank.example'
  const last = `${address}: greenbank: the USD limit is 999999`
  await setEndpoint('greenbank', 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL', address)
  await setLimit('999999')
  await eventually(() => (mails.includes(last) ? true : undefined), 'the last e-mail', 20_000)
  return mails.filter((mail) => !mail.startsWith(address))
}

async function reserve(amount: string): Promise<string> {
  const item = prepareItem({ amount })
  expect(wordsOf(await prepare(hub, item))).toEqual(['RESERVED'])
  return item.transferId
}

function activeAlarms() {
  const alarms = hub.parts.grpc.client(alarmsService, 'participant-lifecycle')
  return alarms.ListActiveAlarms({ participantId: 'greenbank' })
}

function mailsAbout(percentage: string): readonly string[] {
  const subject = `greenbank: ${percentage} % of the USD limit remain`
  return [`desk@greenbank.example: ${subject}`, `risk@hub.example: ${subject}`]
}

test('A position of 899 of 1000 sends no e-mail, 900 one to the FSP and one to the hub, 950 none, and 900 after a recovery both again', async () => {
  await reserve('899')
  const near = await reserve('1')
  const nearer = await reserve('50')
  await release(hub, releaseItem(nearer))
  await release(hub, releaseItem(near))
  await reserve('1')
  expect(await allMails()).toEqual([...mailsAbout('10'), ...mailsAbout('10')])
})

test('An alarm that was notified is not notified again after a crash', async () => {
  await reserve('900')
  await eventually(() => (mails.length >= 2 ? true : undefined), 'the e-mails')
  await subscription.stop()
  hub = await hub.restart()
  await listen()
  await reserve('10')
  expect(await allMails()).toEqual(mailsAbout('10'))
})

test('Transfers refused for lack of liquidity are notified once', async () => {
  const tooMuch = () => prepare(hub, prepareItem({ amount: '1001' }))
  expect(wordsOf(await tooMuch())).toEqual(['REFUSED CAP_SHORT'])
  await tooMuch()
  const subject = 'greenbank: a USD transfer was refused for lack of liquidity'
  expect(await allMails()).toEqual([
    `desk@greenbank.example: ${subject}`,
    `risk@hub.example: ${subject}`,
  ])
})

test('A changed percentage is checked without any transfer, and a raised limit ends the alarm', async () => {
  await reserve('600')
  await setLimit('1000', '40')
  await eventually(() => (mails.length >= 2 ? true : undefined), 'the e-mails')
  const { alarms } = await activeAlarms()
  expect(alarms).toMatchObject([
    { kind: 'THRESHOLD', currency: 'USD', notifications: 1, limit: '1000' },
  ])
  await setLimit('2000')
  await eventually(async () => {
    const { alarms: left } = await activeAlarms()
    return left.length === 0 ? true : undefined
  }, 'the end of the alarm')
  expect(await allMails()).toEqual(mailsAbout('40'))
})

test('Funds in raise the cover and end the alarm', async () => {
  await onboard(hub, 'poorbank', '1000', '100')
  expect(wordsOf(await prepare(hub, prepareItem({ payerFsp: 'poorbank', amount: '95' })))).toEqual([
    'RESERVED',
  ])
  await eventually(() => mails[0], 'the e-mail')
  expect(mails[0]).toBe('risk@hub.example: poorbank: 5 % of the USD limit remain')
  succeeded(await depositTo(hub.participants, 'poorbank', '900'))
  const alarms = hub.parts.grpc.client(alarmsService, 'participant-lifecycle')
  expect(await alarms.ListActiveAlarms({})).toEqual({ alarms: [] })
})

test('An exclusion of cover brings the position nearer to its limit', async () => {
  await reserve('800')
  const liquidity = hub.parts.grpc.client(liquidityService, 'participant-lifecycle')
  succeeded(
    await liquidity.RecordLiquidityReservationEntries({
      requestId: 'r-1',
      name: 'greenbank',
      currency: 'USD',
      mode: 'AMOUNT',
      value: '4150',
      actor: 'ada',
    }),
  )
  await eventually(() => (mails.length >= 2 ? true : undefined), 'the e-mails')
  expect(mails).toEqual(mailsAbout('5.8824'))
})

test('A pending or refused change request sends no alarm', async () => {
  await reserve('800')
  const { balances } = await hub.participants.RequestAccountsPositions({
    name: 'greenbank',
    currency: 'USD',
  })
  const accountId =
    balances?.accounts.find((one) => one.ledgerAccountType === 'SETTLEMENT')?.id ?? 0
  const ask = async (amount: string) => {
    const funds = { participantId: 'greenbank', accountId, direction: 'WITHDRAWAL', amount }
    const content = { ...funds, currency: 'USD', externalReference: '', reason: '' }
    return wordOf(await hub.approvals.request('ManageFunds', content))
  }
  expect(await ask('4150')).toBe('PENDING')
  expect(await ask('9999')).toBe('COVER_SHORT')
  expect(await allMails()).toEqual([])
})

test('LiquidityThresholdExceeded makes the ledger check its own figures, not those of the caller', async () => {
  const alarms = hub.parts.grpc.client(alarmsService, 'participant-lifecycle')
  const claim = {
    participantId: 'greenbank',
    accountId: 1,
    currency: 'USD',
    position: '999',
    limit: '1000',
    liquidity: '1000',
    remainingPercentage: '0.1',
    transferId: '',
  }
  expect(await alarms.LiquidityThresholdExceeded(claim)).toEqual({ isKnown: true })
  const stranger = { ...claim, participantId: 'nobody' }
  expect(await alarms.LiquidityThresholdExceeded(stranger)).toEqual({ isKnown: false })
  expect(await allMails()).toEqual([])
})

test('A settlement that moves a position notifies the FSP and the hub', async () => {
  const type = 'SETTLEMENT_TRANSFER_POSITION_CHANGE_EMAIL'
  await setEndpoint('greenbank', type, 'desk@greenbank.example')
  const entry = {
    entryId: 'entry-1',
    debitParticipant: 'greenbank',
    debitAccountType: 'POSITION',
    creditAccountType: 'HUB_MULTILATERAL_SETTLEMENT',
    amount: '12.5',
    currency: 'USD',
    awaitsFundsOut: false,
  }
  const posted = await hub.ledger.PostSettlementEntries({
    settlementId: 1,
    entries: [entry],
    isFirst: false,
  })
  expect(posted.outcome).toBe('POSTED')
  await hub.ledger.PostSettlementEntries({
    settlementId: 1,
    entries: [entry],
    isFirst: false,
  })
  expect(await allMails()).toEqual([
    'desk@greenbank.example: greenbank: a settlement has moved the USD position to 12.5',
  ])
})

test('An undeliverable reminder is notified to the hub alone', async () => {
  await setEndpoint('Hub', 'ALARM_NOTIFICATION_EMAIL', 'duty@hub.example')
  await setEndpoint('greenbank', 'ALARM_NOTIFICATION_EMAIL', 'duty@greenbank.example')
  const dueAt = '2026-01-01T22:00:00.000Z'
  await hub.parts.bus.publish([
    newEvent('scheduler', 'ScheduleReminderFailed', {
      reminderId: 'reports/daily',
      owner: 'reports',
      dueAt,
      attempts: 10,
      error: 'answered 503',
      nextAt: null,
    }),
  ])
  const subject = `Hub: the reminder reports/daily of ${dueAt} could not be delivered`
  await eventually(() => mails.includes(`duty@hub.example: ${subject}`) || undefined, 'the e-mail')
  expect((await allMails()).filter((mail) => mail.includes('reminder'))).toHaveLength(1)
})
