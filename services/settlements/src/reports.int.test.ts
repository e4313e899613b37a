/** Reports: the rows of each transfer behind the sums. */
import { randomUUID } from 'node:crypto'
import { newEvent } from '@causeway/events'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import { defaultsOf, eventually } from '@causeway/process/testing'
import type { TransferRow } from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  addFsp,
  addModel,
  announce,
  closeOpen,
  commit,
  committed,
  differencesIn,
  openHub,
  openTestScheme,
  openWindow,
  pay,
  settle,
  type SubstituteData,
  type TestScheme,
} from './testing/scheme.ts'

let scheme: TestScheme
let modelId: number
const requested: SubstituteData = { transfers: [], quotes: [], transactions: [] }

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
    requested,
  })
  await openHub(scheme)
  modelId = await addModel(scheme)
  for (const name of ['greenbank', 'bluewallet', 'redpay']) await addFsp(scheme, name)
})

afterAll(() => scheme.stop())

async function reconciliation(
  participant: string,
  windowId: number | undefined,
  day?: string,
): Promise<readonly TransferRow[]> {
  const query = { participant, windowId, day }
  return (await scheme.reports.ListReconciliation(query)).rows?.rows ?? []
}

test('The report of a day contains each transfer of an FSP: committed, aborted, settled at once', async () => {
  const [net] = await pay(scheme, {
    payer: 'greenbank',
    payee: 'bluewallet',
    amount: '10',
    modelId,
  })
  const [gross] = await pay(scheme, {
    payer: 'bluewallet',
    payee: 'greenbank',
    amount: '2.5',
    modelId,
    settles: 'GROSS_IMMEDIATE',
  })
  await pay(scheme, { payer: 'bluewallet', payee: 'redpay', amount: '1', modelId })
  const endedAt = new Date().toISOString()
  const transferId = randomUUID()
  const aborted = newEvent('transfers', 'TransferFulfilComitRequestTimedout', {
    transferId,
    payerFsp: 'redpay',
    payeeFsp: 'greenbank',
    payerVersion: '1.1',
    errorInformation: { errorCode: '3303', errorDescription: 'Transfer expired' },
    ending: {
      payerFsp: 'redpay',
      payeeFsp: 'greenbank',
      amount: { amount: '7', currency: 'USD' },
      completedTimestamp: endedAt,
      receivedAt: endedAt,
      endedAt,
    },
  })
  // An event that arrives twice is listed once; a duplicate that aborted nothing is not listed.
  const duplicate = newEvent('transfers', 'TransferPrepareDuplicateCheckFailed', {
    transferId: randomUUID(),
    requesterFspId: 'greenbank',
    version: '1.1',
    errorInformation: { errorCode: '3106', errorDescription: 'Modified request' },
  })
  await announce(scheme, [aborted, duplicate, aborted])
  const windowId = (await closeOpen(scheme)).id
  const day = endedAt.slice(0, 10)
  const rows = await eventually(async () => {
    const found = await reconciliation('greenbank', undefined, day)
    return found.length >= 3 ? found : undefined
  }, 'three rows of the day')
  const byId = new Map(rows.map((row) => [row.transferId, row]))
  expect(rows).toHaveLength(3)
  expect(byId.get(transferId)).toMatchObject({
    transferId,
    kind: 'TRANSFER',
    state: 'ABORTED',
    error: '3303: Transfer expired',
    payerFsp: 'redpay',
    payeeFsp: 'greenbank',
    amount: '7',
    currency: 'USD',
    completedTimestamp: endedAt,
    finalisedAt: endedAt,
    originUnavailable: false,
  })
  expect(byId.get(gross?.transferId ?? '')).toMatchObject({ state: 'COMMITTED' })
  expect(byId.get(gross?.transferId ?? '')?.windowId).toBeUndefined()
  expect(byId.get(net?.transferId ?? '')).toMatchObject({ amount: '10', windowId })
  const inWindow = await reconciliation('greenbank', windowId)
  expect(inWindow.map((row) => row.transferId)).toEqual([net?.transferId])
  expect(await reconciliation('greenbank', windowId, '2001-01-01')).toEqual([])
})

function cursorOf(...key: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

test('An invalid query is refused', async () => {
  const query = { participant: 'greenbank' }
  for (const wrong of [
    query,
    { ...query, participant: '', day: '2026-01-01' },
    { ...query, day: '2026-02-30' },
    { ...query, day: '2026-01-01', cursor: 'WzFd' },
    { ...query, day: '2026-01-01', cursor: '%%%' },
    { ...query, day: '2026-01-01', cursor: cursorOf(0, '2026-01-01', 'a\0', 'TRANSFER') },
  ]) {
    expect((await scheme.reports.ListReconciliation(wrong)).refusal?.reason).toBe('INVALID')
  }
  const unknown = { settlementId: 999 }
  const { refusal } = await scheme.reports.ListSettlementTransfers(unknown)
  expect(refusal?.reason).toBe('SETTLEMENT_UNKNOWN')
})

test('A window waits for late lines, and can be settled when they have arrived', async () => {
  const payment = { payer: 'greenbank', payee: 'bluewallet', amount: '3', modelId }
  const [answer] = await commit(scheme, [payment])
  if (answer === undefined) throw new Error('nothing was posted')
  const windowId = await openWindow(scheme)
  const request = { requestId: randomUUID(), windowId, explanation: 'end', actor: 'ada' }
  await scheme.windows.CloseSettlementWindow(request)
  const { window } = await scheme.windows.GetSettlementWindow({ id: windowId })
  expect(window).toMatchObject({ state: 'PROCESSING', contents: [{ transfersCount: '1' }] })
  await announce(scheme, [committed(answer, payment)])
  // Creating a settlement waits for the last line by itself.
  const settlement = await settle(scheme, [windowId])
  expect(settlement.accounts.map(({ net }) => net)).toEqual(['3', '-3'])
})

test('Inconsistent lines, flows, nets and states are reported as differences', async () => {
  await pay(scheme, { payer: 'greenbank', payee: 'bluewallet', amount: '3', modelId })
  const { id } = await closeOpen(scheme)
  const settlement = await settle(scheme, [id])
  expect(await differencesIn(scheme)).toEqual([])
  const posted = await scheme.db.query<{ id: string }>(
    statement(`select transfer_id as id from lines where window_id = ${id}`),
    [],
  )
  const meddle = (text: string) => scheme.db.query(statement(text), [])
  await meddle(`update lines set amount = amount + 1 where window_id = ${id}`)
  await meddle(`update content_nets set transfers_count = transfers_count + 1
    where content_id in (select id from window_contents where window_id = ${id})`)
  await meddle(
    `update settlement_accounts set net = net * 2 where settlement_id = ${settlement.id}`,
  )
  await meddle(`update settlements set state = 'SETTLED' where id = ${settlement.id}`)
  await meddle(`update settlement_windows set state = 'ABORTED' where id = ${id}`)
  const [payer, payee] = settlement.accounts.map(({ accountId }) => accountId)
  expect(await differencesIn(scheme)).toEqual([
    `Window ${id} lacks 2 sides of its transfers.`,
    `The lines of window ${id} from account ${payer} to ${payee} are not what was counted.`,
    `The line of TRANSFER ${posted[0]?.id} in window ${id} has amount 3.0001 instead of 3.`,
    `Window ${id} is ABORTED, what it holds makes it PENDING_SETTLEMENT.`,
    `Settlement ${settlement.id} has another net of account ${payer} than its windows.`,
    `Settlement ${settlement.id} has another net of account ${payee} than its windows.`,
    `Settlement ${settlement.id} is SETTLED, its accounts make it PENDING_SETTLEMENT.`,
  ])
})

test('A transfer with a transaction request names it and the PISP that made it', async () => {
  const paid = async (amount: string) => {
    const [entry] = await pay(scheme, { payer: 'greenbank', payee: 'redpay', amount, modelId })
    return entry?.transferId ?? ''
  }
  const [begun, asked, ordinary] = [await paid('1'), await paid('2'), await paid('3')]
  const state = (id: string, condition: string) => ({
    id,
    condition,
    state: 'COMMITTED' as const,
    expiresAt: '',
    payerFsp: 'greenbank',
    payeeFsp: 'redpay',
    amount: '1',
    currency: 'USD',
    windowId: 1,
  })
  const quote = (condition: string, payerFsp = 'greenbank') => ({
    id: condition,
    transactionRequestId: `request-${condition}`,
    transactionId: '',
    payerFsp,
    condition,
    createdAt: '',
  })
  const transaction = (transactionRequestId: string, dfspId: string) => ({
    transactionRequestId,
    dfspId,
    pispId: 'lemonpay',
    state: 'ACCEPTED' as const,
    requestedAt: '',
  })
  requested.transfers.push(state(begun, 'a'), state(asked, 'b'), state(ordinary, 'c'))
  // Another payer's quote of the same condition is not the one that was paid.
  requested.quotes.push(quote('a'), quote('b'), quote('c', 'bluewallet'))
  // And a request made at another DFSP is not the one that was paid either.
  requested.transactions.push(
    transaction('request-a', 'greenbank'),
    transaction('request-b', 'bluewallet'),
  )
  const today = new Date().toISOString().slice(0, 10)
  const lines = async () => {
    const rows = await reconciliation('redpay', undefined, today)
    const wanted = rows.filter(({ transferId }) => [begun, asked, ordinary].includes(transferId))
    return wanted.length === 3 ? new Map(wanted.map((row) => [row.transferId, row])) : undefined
  }
  const origins = (rows: Awaited<ReturnType<typeof lines>>) =>
    [begun, asked, ordinary].map((id) => {
      const { transactionRequestId, pispFsp, originUnavailable } = rows?.get(id) ?? {}
      return { transactionRequestId, pispFsp, originUnavailable }
    })
  const available = { originUnavailable: false }
  expect(origins(await eventually(lines, 'three lines'))).toEqual([
    { transactionRequestId: 'request-a', pispFsp: 'lemonpay', ...available },
    { transactionRequestId: 'request-b', ...available },
    available,
  ])
  requested.isAway = true
  const untold = await lines()
  requested.isAway = false
  expect(origins(untold)).toEqual(Array(3).fill({ originUnavailable: true }))
})
