/** Every step of a settlement writes one audit entry with actor, before and after. */
import { onEvents, type Payload } from '@causeway/events'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { dayReportsService } from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  addFsp,
  addModel,
  closeOpen,
  openHub,
  openTestScheme,
  patient,
  pay,
  settle,
  stepAll,
  type TestScheme,
} from './testing/scheme.ts'

let scheme: TestScheme
let modelId: number
const entries: Payload<'/audit-log-write'>[] = []

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
  })
  await onEvents(scheme.parts.bus, 'test', ['/audit-log-write'], (events) => {
    entries.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  await openHub(scheme)
  modelId = await addModel(scheme)
  for (const name of ['greenbank', 'bluewallet']) await addFsp(scheme, name)
})

afterAll(() => scheme.stop())

async function closedWindow() {
  await pay(scheme, { payer: 'greenbank', payee: 'bluewallet', amount: '10', modelId })
  return closeOpen(scheme)
}

function entriesOf(subject: string, count: number) {
  return eventually(() => {
    const found = entries.filter((entry) => entry.subject === subject)
    return found.length >= count ? found : undefined
  }, `${count} entries of ${subject}`)
}

test('Closing a window, creating a settlement, each step and its end write one audit entry each', async () => {
  const window = await closedWindow()
  const settlement = await settle(scheme, [window.id])
  for (const state of [
    'PS_TRANSFERS_RECORDED',
    'PS_TRANSFERS_RESERVED',
    'PS_TRANSFERS_COMMITTED',
  ] as const)
    await stepAll(scheme, settlement, state)
  expect((await stepAll(scheme, settlement, 'SETTLED')).state).toBe('SETTLED')

  const [closing, ...more] = await entriesOf(`settlementWindows/${window.id}`, 1)
  expect(more).toEqual([])
  expect(closing).toMatchObject({
    actionType: 'CloseSettlementWindow',
    securityContext: { userId: 'ada' },
    before: { state: 'OPEN' },
    after: { reason: 'end of day' },
  })
  const all = await entriesOf(`settlements/${settlement.id}`, 5)
  expect(all.map(({ actionType }) => actionType)).toEqual([
    'CreateSettlement',
    ...Array.from({ length: 4 }, () => 'UpdateSettlementAccounts'),
  ])
  expect(new Set(all.map(({ securityContext }) => securityContext.userId))).toEqual(
    new Set(['ada']),
  )
  const ids = settlement.accounts.map(({ accountId }) => accountId)
  const each = (state: string) => Object.fromEntries(ids.map((id) => [id, state]))
  expect(all[0]).toMatchObject({ before: null, after: { windowIds: [window.id] } })
  expect(all[4]).toMatchObject({
    before: { state: 'PS_TRANSFERS_COMMITTED', accounts: each('PS_TRANSFERS_COMMITTED') },
    after: { state: 'SETTLED', changes: ids.map((accountId) => ({ accountId, state: 'SETTLED' })) },
  })
  // The window keeps what it was closed for.
  const { window: settled } = await scheme.windows.GetSettlementWindow({ id: window.id })
  expect(settled).toMatchObject({ state: 'SETTLED', explanation: 'daily' })
})

test('A person who requests the report of a day is on record, whether or not it changes', async () => {
  const reports = scheme.parts.grpc.client(dayReportsService, 'settlements')
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const { refusal } = await reports.MakeDayReport({ day, endsNow: false, actor: 'grace' }, patient)
  expect(refusal ?? null).toBeNull()
  const [request] = await entriesOf(`reports/${day}`, 1)
  expect(request).toMatchObject({
    actionType: 'RequestDayReport',
    securityContext: { userId: 'grace' },
    after: { days: 1, endsNow: false },
  })
})

test('An abort writes one audit entry', async () => {
  const settlement = await settle(scheme, [(await closedWindow()).id])
  const request = { settlementId: settlement.id, explanation: 'a bank is closed', actor: 'grace' }
  await scheme.settlements.AbortSettlement(request, patient)
  const [, abort, ...more] = await entriesOf(`settlements/${settlement.id}`, 2)
  expect(more).toEqual([])
  expect(abort).toMatchObject({
    actionType: 'AbortSettlement',
    securityContext: { userId: 'grace' },
    before: { state: 'PENDING_SETTLEMENT' },
    after: { state: 'ABORTED', reason: 'a bank is closed' },
  })
})
