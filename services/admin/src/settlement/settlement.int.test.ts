import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import { transfersService } from '@causeway/protos'
import * as quoting from '@causeway/quoting'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  fulfil,
  newPayment,
  request,
  transactionOf,
  type TestPayment,
} from '../testing/payments.ts'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'
import { accountOf, deposit, onboard, openScheme } from '../testing/scheme.ts'

const services = [participantLifecycle, settlements, transfers, quoting, authService] as const

let admin: AdminWorld
const green = { id: 0, position: 0 }
const blue = { id: 0, position: 0 }
const paid: TestPayment[] = []

interface WindowRow {
  readonly id: number
  readonly state: string
  readonly content: readonly { readonly settlementId?: number }[]
}

interface SettlementRow {
  readonly id: number
  readonly state: string
  readonly participants: readonly {
    readonly id: number
    readonly accounts: readonly {
      readonly id: number
      readonly state: string
      readonly netSettlementAmount: { readonly amount: number; readonly currency: string }
      readonly errorInformation?: { readonly errorCode: string }
    }[]
  }[]
}

beforeAll(async () => {
  admin = await openWorld(services)
  await openScheme(admin)
  for (const name of ['green', 'blue']) {
    await onboard(admin, name)
    const { id } = await accountOf(admin, name, 'SETTLEMENT')
    await admin.call('POST', `/participants/${name}/accounts/${id}`, deposit())
  }
  green.position = (await accountOf(admin, 'green', 'POSITION')).id
  blue.position = (await accountOf(admin, 'blue', 'POSITION')).id
}, 60_000)

afterAll(() => admin.stop())

function refusalOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as { errorInformation: { errorCode: string } }
  return `${status} ${errorInformation.errorCode}`
}

async function pay(payer: string, payee: string, amount: string): Promise<void> {
  const payment = newPayment(payer, payee, amount)
  const states = admin.parts.grpc.client(transfersService, 'transfers')
  const reached = (state: string) =>
    eventually(async () => {
      const answer = await states.GetTransferStates({ ids: [payment.transferId] })
      return answer.transfers[0]?.state === state ? true : undefined
    }, state)
  await request(admin, payment)
  await reached('RESERVED')
  await fulfil(admin, payment)
  await reached('COMMITTED')
  paid.push(payment)
}

async function windowsIn(state: string): Promise<readonly WindowRow[]> {
  const { json } = await admin.call('GET', `/v2/settlementWindows?state=${state}`)
  return json as readonly WindowRow[]
}

async function openWindow(): Promise<number> {
  return (await windowsIn('OPEN'))[0]?.id ?? 0
}

async function closeWindow(): Promise<number> {
  const id = await openWindow()
  const closing = { state: 'CLOSED', reason: 'end of day' }
  const { status, json } = await admin.call('POST', `/v2/settlementWindows/${id}`, closing)
  expect([status, (json as WindowRow).state]).toEqual([200, 'OPEN'])
  expect((json as WindowRow).id).toBeGreaterThan(id)
  await eventually(async () => {
    const window = (await admin.call('GET', `/v2/settlementWindows/${id}`)).json as WindowRow
    return window.state === 'CLOSED' ? true : undefined
  }, 'the window is CLOSED')
  return id
}

function settle(windowId: number, changes: object = {}): Promise<ApiResponse> {
  return admin.call('POST', '/v2/settlements', {
    settlementModel: 'DEFERREDNET',
    reason: 'end of day',
    settlementWindows: [{ id: windowId }],
    ...changes,
  })
}

function stepped({ participants }: SettlementRow, state: string) {
  return {
    participants: participants.map(({ id, accounts }) => ({
      id,
      accounts: accounts.map((account) => ({ id: account.id, state, reason: `to ${state}` })),
    })),
  }
}

async function valueOf(name: string): Promise<number> {
  return (await accountOf(admin, name, 'POSITION')).value
}

describe('a window and its settlement', () => {
  let windowId: number
  let settlement: SettlementRow
  let path: string

  test('An empty window is not closed', async () => {
    const closing = { state: 'CLOSED', reason: 'too early' }
    const answer = await admin.call('POST', `/v2/settlementWindows/${await openWindow()}`, closing)
    expect(refusalOf(answer)).toBe('400 3100')
    expect(answer.text).toContain(
      `Generic validation error - Window ${await openWindow()} is empty`,
    )
  })

  test('A window with payments is closed, and shows its content', async () => {
    await pay('green', 'blue', '30')
    await pay('blue', 'green', '10.5')
    windowId = await closeWindow()
    const { json } = await admin.call('GET', `/v2/settlementWindows/${windowId}`)
    expect(json).toMatchObject({
      id: windowId,
      settlementWindowId: windowId,
      state: 'CLOSED',
      reason: 'end of day',
      content: [{ state: 'CLOSED', ledgerAccountType: 'POSITION', currencyId: 'USD' }],
    })
  }, 30_000)

  test('The transfers of a window show the transaction of their FSPs', async () => {
    const [first] = paid
    if (first === undefined) throw new Error('the window has no transfer')
    const { status, json } = await admin.call('GET', `/transactions/${first.transferId}`)
    expect(status).toBe(200)
    expect(json).toEqual(transactionOf(first))
  })

  test('A settlement begins with the net of each participant', async () => {
    const { status, json } = await settle(windowId)
    expect(status).toBe(200)
    settlement = json as SettlementRow
    path = `/v2/settlements/${settlement.id}`
    const netOf = (account: number) =>
      settlement.participants.flatMap(({ accounts }) => accounts).find(({ id }) => id === account)
    expect(settlement).toMatchObject({
      state: 'PENDING_SETTLEMENT',
      settlementModel: 'DEFERREDNET',
    })
    expect(netOf(green.position)?.netSettlementAmount).toEqual({ amount: 19.5, currency: 'USD' })
    expect(netOf(blue.position)?.netSettlementAmount).toEqual({ amount: -19.5, currency: 'USD' })
    expect((await windowsIn('PENDING_SETTLEMENT')).map(({ id }) => id)).toEqual([windowId])
    green.id =
      settlement.participants.find(({ accounts }) => accounts[0]?.id === green.position)?.id ?? 0
    blue.id =
      settlement.participants.find(({ accounts }) => accounts[0]?.id === blue.position)?.id ?? 0
  })

  test('A settlement shows what its steps change in what participants may send, and a list does not', async () => {
    const { json } = await admin.call('GET', path)
    const same = { cover: 'SAME', netDebitCap: 'SAME' }
    const nothing = { owing: same, owed: same, awaitsFundsOut: false }
    expect(json).toHaveProperty('stepEffects', [
      { ...nothing, state: 'PS_TRANSFERS_RECORDED' },
      { ...nothing, state: 'PS_TRANSFERS_RESERVED', owed: { cover: 'LESS', netDebitCap: 'LESS' } },
      {
        state: 'PS_TRANSFERS_COMMITTED',
        owing: { cover: 'SAME', netDebitCap: 'MORE' },
        owed: same,
        awaitsFundsOut: true,
      },
      { ...nothing, state: 'SETTLED' },
      { ...nothing, state: 'ABORTED', owed: { cover: 'MORE', netDebitCap: 'MORE' } },
    ])
    const { json: list } = await admin.call('GET', '/v2/settlements?currency=USD')
    expect(list).toHaveLength(1)
    expect((list as unknown[])[0]).not.toHaveProperty('stepEffects')
  })

  test('An account that is ahead shows its refusal, and the others step', async () => {
    const ahead = stepped(settlement, 'PS_TRANSFERS_RECORDED')
    const body = {
      participants: ahead.participants.map(({ id, accounts }) => ({
        id,
        accounts: accounts.map((account) =>
          id === green.id ? { ...account, state: 'PS_TRANSFERS_RESERVED' } : account,
        ),
      })),
    }
    const { status, json } = await admin.call('PUT', path, body)
    expect(status).toBe(200)
    const accounts = (json as SettlementRow).participants.flatMap(({ accounts }) => accounts)
    const [greens] = accounts.filter(({ id }) => id === green.position)
    const [blues] = accounts.filter(({ id }) => id === blue.position)
    expect(greens).toMatchObject({
      state: 'PENDING_SETTLEMENT',
      errorInformation: { errorCode: '3000' },
    })
    expect(blues).toMatchObject({ state: 'PS_TRANSFERS_RECORDED' })
    expect(blues).not.toHaveProperty('errorInformation')
  })

  test('An unknown account is shown by its number, with the refusal', async () => {
    const body = {
      participants: [
        { id: green.id, accounts: [{ id: 999_999, state: 'SETTLED', reason: 'a guess' }] },
      ],
    }
    const { status, json } = await admin.call('PUT', path, body)
    expect(status).toBe(200)
    expect((json as SettlementRow).participants).toMatchObject([
      { id: green.id, accounts: [{ id: 999_999, errorInformation: { errorCode: '3000' } }] },
    ])
  })

  test('One participant and one account can be read and stepped alone', async () => {
    const one = `${path}/participants/${green.id}`
    const seen = (await admin.call('GET', one)).json as SettlementRow
    expect(seen.participants.map(({ id }) => id)).toEqual([green.id])
    const step = { state: 'PS_TRANSFERS_RECORDED', reason: 'alone', externalReference: 'bank 9' }
    const account = `${one}/accounts/${green.position}`
    const { status, json } = await admin.call('PUT', account, step)
    expect([status, json]).toMatchObject([
      200,
      {
        state: 'PS_TRANSFERS_RECORDED',
        participants: [{ accounts: [{ state: 'PS_TRANSFERS_RECORDED', reason: 'alone' }] }],
      },
    ])
    const { json: shown } = await admin.call('GET', account)
    expect(shown).toMatchObject({
      participants: [{ id: green.id, accounts: [{ externalReference: 'bank 9' }] }],
    })
  })

  test('Positions of recipients are settled when it is reserved, those of senders when it is committed', async () => {
    expect([await valueOf('green'), await valueOf('blue')]).toEqual([19.5, -19.5])
    await admin.call('PUT', path, stepped(settlement, 'PS_TRANSFERS_RESERVED'))
    expect([await valueOf('green'), await valueOf('blue')]).toEqual([19.5, 0])
    await admin.call('PUT', path, stepped(settlement, 'PS_TRANSFERS_COMMITTED'))
    expect([await valueOf('green'), await valueOf('blue')]).toEqual([0, 0])
    const { json } = await admin.call('PUT', path, stepped(settlement, 'SETTLED'))
    expect(json).toMatchObject({ id: settlement.id, state: 'SETTLED' })
    expect((await windowsIn('SETTLED')).map(({ id }) => id)).toEqual([windowId])
    const aborting = { state: 'ABORTED', reason: 'too late' }
    expect(refusalOf(await admin.call('PUT', path, aborting))).toBe('400 3100')
  }, 30_000)

  test('The report of a settlement lists each transfer behind each net', async () => {
    const { json } = await admin.call('GET', `${path}/report`)
    const report = json as {
      readonly nets: readonly { readonly participant: string; readonly net: number }[]
      readonly transfers: readonly {
        readonly transferId: string
        readonly amount: number
        readonly payerFsp: string
      }[]
    }
    expect(report.transfers.map(({ transferId }) => transferId).toSorted()).toEqual(
      paid.map(({ transferId }) => transferId).toSorted(),
    )
    const ofGreen = report.transfers.map(({ payerFsp, amount }) =>
      payerFsp === 'green' ? amount : -amount,
    )
    const sum = ofGreen.reduce((total, amount) => total + amount, 0)
    expect(report.nets).toContainEqual(expect.objectContaining({ participant: 'green', net: sum }))
  })

  test('The report is streamed as a file, page by page', async () => {
    for (const path_ of [`${path}/report?format=csv`, `${path}/report?format=csv&limit=1`]) {
      const { status, headers, text } = await admin.call('GET', path_)
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="settlement-${settlement.id}.csv"`,
      )
      const [columns = '', ...lines] = text.trimEnd().split('\r\n')
      expect(columns).toMatch(/^transferId,kind,state,reason,payerFsp,payeeFsp,amount,currency,/)
      expect(lines).toHaveLength(2)
      expect(text).toContain(`${paid[1]?.transferId},TRANSFER,COMMITTED,,blue,green,10.5,USD,`)
    }
    const accepted = await admin.call('GET', `${path}/report`, undefined, { accept: 'text/csv' })
    expect(accepted.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  })

  test('An FSP has its own report by window and by day, in pages', async () => {
    const base = '/participants/blue/reconciliation'
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { json } = await admin.call(
        'GET',
        `${base}?settlementWindowId=${windowId}&limit=1${after}`,
      )
      const page = json as {
        readonly transfers: readonly { readonly transferId: string }[]
        readonly cursor: string | null
      }
      seen.push(...page.transfers.map(({ transferId }) => transferId))
      cursor = page.cursor
    }
    expect(seen.toSorted()).toEqual(paid.map(({ transferId }) => transferId).toSorted())
    const day = new Date().toISOString().slice(0, 10)
    const { text } = await admin.call('GET', `${base}?day=${day}`, undefined, {
      accept: 'text/csv',
    })
    expect(text).toContain(paid[0]?.transferId)
    expect(refusalOf(await admin.call('GET', base))).toBe('400 3102')
    expect(refusalOf(await admin.call('GET', `${base}?day=yesterday`))).toBe('400 3101')
    const unknownFsp = await admin.call('GET', '/participants/nobody/reconciliation?day=2026-01-01')
    expect(refusalOf(unknownFsp)).toBe('404 3200')
  })

  test('An aborted settlement releases its window', async () => {
    await pay('green', 'blue', '1')
    const id = await closeWindow()
    const { json } = await settle(id)
    const aborting = { state: 'ABORTED', reason: 'wrong day', externalReference: 'bank 3' }
    const one = `/v2/settlements/${(json as SettlementRow).id}`
    const aborted = await admin.call('PUT', one, aborting)
    expect([aborted.status, aborted.json]).toMatchObject([200, { state: 'ABORTED' }])
    expect((await windowsIn('ABORTED')).map(({ id }) => id)).toEqual([id])
    expect((await settle(id)).status).toBe(200)
  }, 30_000)

  test('Windows and settlements are found by the given filters', async () => {
    const found = async (query: string) =>
      ((await admin.call('GET', `/v2/settlements?${query}`)).json as SettlementRow[]).map(
        ({ id }) => id,
      )
    expect(await found(`settlementWindowId=${windowId}`)).toEqual([settlement.id])
    expect(await found(`state=SETTLED&currency=USD&participantId=${green.id}`)).toEqual([
      settlement.id,
    ])
    expect(await found(`accountId=${blue.position}`)).toHaveLength(3)
    expect(await found('fromDateTime=2020-01-01&toDateTime=2020-12-31T00:00:00Z')).toEqual([])
    const windows = await admin.call('GET', '/v2/settlementWindows?currency=EUR')
    expect([windows.status, windows.json]).toEqual([200, []])
  })
})

test.each([
  ['windows', '/v2/settlementWindows?currency=USD'],
  ['settlements', '/v2/settlements?currency=USD'],
])('A list of %s with more entries names the next page', async (_, list) => {
  const idsOf = ({ json }: ApiResponse) =>
    (json as readonly { readonly id: number }[]).map(({ id }) => id)
  const whole = await admin.call('GET', list)
  expect(idsOf(whole).length).toBeGreaterThan(1)
  expect(whole.headers.get('link')).toBeNull()
  const seen: number[] = []
  let path: string | undefined = `${list}&limit=1`
  while (path !== undefined) {
    const page: ApiResponse = await admin.call('GET', path)
    seen.push(...idsOf(page))
    path = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual(idsOf(whole))
  expect(refusalOf(await admin.call('GET', `${list.split('?')[0]}?cursor=9`))).toBe('400 3100')
})

describe('refused are', () => {
  const reason = 'because'
  test.each([
    ['a window that is none', 'GET', '/v2/settlementWindows/x', undefined, '400 3101'],
    ['an unknown window', 'GET', '/v2/settlementWindows/999', undefined, '404 3200'],
    ['windows without a filter', 'GET', '/v2/settlementWindows', undefined, '400 3100'],
    ['windows of no state', 'GET', '/v2/settlementWindows?state=AJAR', undefined, '400 3101'],
    ['windows of no day', 'GET', '/v2/settlementWindows?fromDateTime=x', undefined, '400 3100'],
    [
      'closing an unknown window',
      'POST',
      '/v2/settlementWindows/999',
      { state: 'CLOSED', reason },
      '400 3100',
    ],
    [
      'closing a closed one',
      'POST',
      '/v2/settlementWindows/1',
      { state: 'CLOSED', reason },
      '400 3100',
    ],
    [
      'closing without a reason',
      'POST',
      '/v2/settlementWindows/1',
      { state: 'CLOSED' },
      '400 3102',
    ],
    ['opening', 'POST', '/v2/settlementWindows/1', { state: 'OPEN', reason }, '400 3101'],
    ['settlements without a filter', 'GET', '/v2/settlements', undefined, '400 3100'],
    ['an unknown settlement', 'GET', '/v2/settlements/999', undefined, '404 3200'],
    [
      'an unknown settlement of a participant',
      'GET',
      '/v2/settlements/999/participants/1',
      undefined,
      '404 3200',
    ],
    ['an unknown participant', 'GET', '/v2/settlements/1/participants/999', undefined, '404 3200'],
    ['an unknown report', 'GET', '/v2/settlements/999/report', undefined, '404 3200'],
    [
      'both at once',
      'PUT',
      '/v2/settlements/1',
      {
        state: 'ABORTED',
        reason,
        participants: [{ id: 1, accounts: [{ id: 1, state: 'SETTLED', reason }] }],
      },
      '400 3100',
    ],
    ['nothing at all', 'PUT', '/v2/settlements/1', {}, '400 3102'],
    ['an abort without a reason', 'PUT', '/v2/settlements/1', { state: 'ABORTED' }, '400 3102'],
    ['deleting', 'DELETE', '/v2/settlements/1', undefined, '405 3000'],
    [
      'an unknown transaction',
      'GET',
      '/transactions/b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136c',
      undefined,
      '404 3200',
    ],
    ['a transaction that is none', 'GET', '/transactions/x', undefined, '400 3101'],
  ])('A request is refused: %s', async (_what, method, path, body, expected) => {
    expect(refusalOf(await admin.call(method, path, body))).toBe(expected)
  })

  test.each([
    ['an unknown model', { settlementModel: 'NOTHING' }, '400 3100'],
    ['no windows', { settlementWindows: [] }, '400 3100'],
    ['a window twice', { settlementWindows: [{ id: 1 }, { id: 1 }] }, '400 3100'],
    ['an unknown window', { settlementWindows: [{ id: 999 }] }, '400 3100'],
    ['a settled window', {}, '400 3100'],
    ['no reason', { reason: undefined }, '400 3102'],
  ])('A settlement of %s is refused', async (_what, changes, expected) => {
    expect(refusalOf(await settle(1, changes))).toBe(expected)
  })
})
