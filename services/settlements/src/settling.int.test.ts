/** Windows and settlements with the real ledger: their contents, and what each step moves. */
import { randomUUID } from 'node:crypto'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { fundsService, type SettlementAccountState } from '@causeway/protos'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  accountOf,
  addFsp,
  addModel,
  closeOpen,
  differencesIn,
  openHub,
  openTestScheme,
  openWindow,
  patient,
  pay,
  settle,
  stepAll,
  valueOf,
  type TestScheme,
} from './testing/scheme.ts'

let scheme: TestScheme
let net: number
let euros: number

const fsps = ['greenbank', 'bluewallet', 'redpay'] as const
const positions = (currency = 'USD') =>
  Promise.all(fsps.map((name) => valueOf(scheme, name, 'POSITION', currency)))
const transit = (currency = 'USD') =>
  valueOf(scheme, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT', currency)

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
  })
  await openHub(scheme)
  await openHub(scheme, 'EUR')
  net = await addModel(scheme)
  euros = await addModel(scheme, { name: 'EURONET', currency: 'EUR' })
  for (const name of fsps) {
    await addFsp(scheme, name)
    await addFsp(scheme, name, 'EUR')
  }
})

afterAll(() => scheme.stop())

afterEach(async () => {
  expect(await differencesIn(scheme)).toEqual([])
})

/** greenbank owes 6, bluewallet and redpay are owed 4 and 2. */
async function payAround(): Promise<void> {
  await pay(
    scheme,
    { payer: 'greenbank', payee: 'bluewallet', amount: '10', modelId: net },
    { payer: 'bluewallet', payee: 'redpay', amount: '6', modelId: net },
    { payer: 'redpay', payee: 'greenbank', amount: '4', modelId: net },
  )
}

async function closed(): Promise<number> {
  return (await closeOpen(scheme)).id
}

describe('a settlement window', () => {
  test('A window without transfers cannot be closed', async () => {
    const windowId = await openWindow(scheme)
    const request = { requestId: randomUUID(), windowId, explanation: 'too early', actor: 'ada' }
    const { refusal } = await scheme.windows.CloseSettlementWindow(request)
    expect(refusal).toEqual({ reason: 'WINDOW_EMPTY', detail: `Window ${windowId} is empty` })
    expect(await openWindow(scheme)).toBe(windowId)
  })

  test('A window closes with exact nets for each model, and the next one is open at once', async () => {
    await payAround()
    await pay(scheme, {
      payer: 'redpay',
      payee: 'bluewallet',
      amount: '3.5',
      currency: 'EUR',
      modelId: euros,
    })
    const windowId = await openWindow(scheme)
    const request = { requestId: randomUUID(), windowId, explanation: 'end of day', actor: 'ada' }
    const first = await scheme.windows.CloseSettlementWindow(request, patient)
    expect(first.window).toMatchObject({ state: 'OPEN', contents: [] })
    expect(first.window?.id).toBeGreaterThan(windowId)
    // The same request again gets the same answer.
    const again = await scheme.windows.CloseSettlementWindow(request, patient)
    expect(again.window?.id).toBe(first.window?.id)
    const other = { ...request, requestId: randomUUID() }
    const { refusal } = await scheme.windows.CloseSettlementWindow(other)
    expect(refusal?.reason).toBe('WINDOW_NOT_OPEN')

    const { window } = await eventually(async () => {
      const found = await scheme.windows.GetSettlementWindow({ id: windowId })
      return found.window?.state === 'CLOSED' ? found : undefined
    }, 'the window has all its lines')
    const shown = window?.contents.map((content) => [
      content.settlementModel,
      content.currency,
      content.transfersCount,
      ...content.nets.map((one) => `${one.participant} ${one.net}`),
    ])
    expect(shown).toEqual([
      ['DEFERREDNET', 'USD', '3', 'greenbank 6', 'bluewallet -4', 'redpay -2'],
      ['EURONET', 'EUR', '1', 'bluewallet -3.5', 'redpay 3.5'],
    ])
  })

  test('Of two concurrent requests one closes the window and the other finds it closed', async () => {
    await payAround()
    const windowId = await openWindow(scheme)
    const answers = await Promise.all(
      [randomUUID(), randomUUID()].map((requestId) =>
        scheme.windows.CloseSettlementWindow(
          { requestId, windowId, explanation: 'end of day', actor: 'ada' },
          patient,
        ),
      ),
    )
    const refusals = answers.map(({ refusal }) => refusal?.reason)
    expect(new Set(refusals)).toEqual(new Set(['WINDOW_NOT_OPEN', undefined]))
  })
})

describe('the largest nets', () => {
  test('Nets longer than an amount are settled through all states or aborted', async () => {
    const largest = '900000000000000000'
    await openHub(scheme, 'XTS')
    const modelId = await addModel(scheme, { name: 'LARGENET', currency: 'XTS' })
    for (const [name, position] of [
      ['greenbank', `-${largest}`],
      ['bluewallet', '0'],
    ] as const) {
      await addFsp(scheme, name, 'XTS', { cap: '999999999999999999', position, deposit: largest })
    }
    const both = async () => {
      const of = (name: string) => valueOf(scheme, name, 'POSITION', 'XTS')
      return [await of('greenbank'), await of('bluewallet')]
    }
    const payment = { payer: 'greenbank', payee: 'bluewallet', currency: 'XTS', modelId }
    await pay(scheme, { ...payment, amount: largest }, { ...payment, amount: largest })
    expect(await both()).toEqual([largest, '-1800000000000000000'])
    const windowId = await closed()
    const aborted = await settle(scheme, [windowId], 'LARGENET')
    expect(aborted.accounts.map(({ net: owed }) => owed)).toEqual([
      '1800000000000000000',
      '-1800000000000000000',
    ])
    for (const state of ['PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED'] as const) {
      await stepAll(scheme, aborted, state)
    }
    expect(await both()).toEqual([largest, '0'])
    const stop = { settlementId: aborted.id, explanation: 'stop', actor: 'ada' }
    const { settlement } = await scheme.settlements.AbortSettlement(stop, patient)
    expect(settlement?.state).toBe('ABORTED')
    expect(await both()).toEqual([largest, '-1800000000000000000'])
    const again = await settle(scheme, [windowId], 'LARGENET')
    for (const state of steps) await stepAll(scheme, again, state)
    expect(await both()).toEqual([`-${largest}`, '0'])
    expect(await transit('XTS')).toBe('0')
  })
})

describe('a settlement', () => {
  test('A settlement debits recipients when it is reserved and credits senders when it is committed', async () => {
    const before = await positions()
    await payAround()
    const windowId = await closed()
    const created = await settle(scheme, [windowId])
    expect(created).toMatchObject({ state: 'PENDING_SETTLEMENT', model: 'DEFERREDNET' })
    expect(created.accounts.map(({ participant, net: owed }) => [participant, owed])).toEqual([
      ['greenbank', '6'],
      ['bluewallet', '-4'],
      ['redpay', '-2'],
    ])
    const during = await positions()
    expect((await stepAll(scheme, created, 'PS_TRANSFERS_RECORDED')).state).toBe(
      'PS_TRANSFERS_RECORDED',
    )
    expect(await positions()).toEqual(during)

    await stepAll(scheme, created, 'PS_TRANSFERS_RESERVED')
    expect(await positions()).toEqual([during[0], before[1], before[2]])
    expect(await transit()).toBe('-6')

    await stepAll(scheme, created, 'PS_TRANSFERS_COMMITTED')
    expect(await positions()).toEqual(before)
    expect(await transit()).toBe('0')

    const settled = await stepAll(scheme, created, 'SETTLED')
    expect(settled.state).toBe('SETTLED')
    expect(settled.windows).toMatchObject([
      {
        id: windowId,
        state: 'SETTLED',
        contents: [{ state: 'SETTLED', settlementId: settled.id }],
      },
    ])
    expect(await positions()).toEqual(before)
  })

  test('A settlement is SETTLING while some of its accounts are settled, and returns faults with accounts', async () => {
    await payAround()
    const created = await settle(scheme, [await closed()])
    for (const state of ['PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED'] as const) {
      await stepAll(scheme, created, state)
    }
    await stepAll(scheme, created, 'PS_TRANSFERS_COMMITTED')
    const [first, second, third] = created.accounts
    const update = (
      account: typeof first,
      state: SettlementAccountState,
      participantId?: number,
    ) => ({
      participantId: participantId ?? account?.participantId ?? 0,
      accountId: account?.accountId ?? 0,
      state,
      explanation: 'bank',
    })
    const { settlement } = await scheme.settlements.UpdateSettlementAccounts({
      settlementId: created.id,
      accounts: [
        update(first, 'SETTLED'),
        update(first, 'SETTLED'),
        update(second, 'PS_TRANSFERS_RECORDED'),
        update(third, 'SETTLED', 999),
        { ...update(first, 'SETTLED'), accountId: 12_345 },
      ],
      actor: 'ada',
    })
    expect(settlement?.state).toBe('SETTLING')
    expect(
      settlement?.accounts.map(({ accountId, state, fault }) => [accountId, state, fault?.reason]),
    ).toEqual([
      [first?.accountId, 'SETTLED', 'LISTED_TWICE'],
      [second?.accountId, 'PS_TRANSFERS_COMMITTED', 'TRANSITION_NOT_ALLOWED'],
      [third?.accountId, 'PS_TRANSFERS_COMMITTED', undefined],
    ])
    expect(
      settlement?.unknownAccounts.map(({ accountId, fault }) => [accountId, fault?.reason]),
    ).toEqual([
      [third?.accountId, 'PARTICIPANT_MISMATCH'],
      [12_345, 'ACCOUNT_UNKNOWN'],
    ])
    const { refusal } = await scheme.settlements.AbortSettlement({
      settlementId: created.id,
      explanation: 'too late',
      actor: 'ada',
    })
    expect(refusal?.reason).toBe('STATE_WRONG')
  })

  test('Concurrent requests take each step of a settlement once', async () => {
    const before = await positions()
    await payAround()
    const created = await settle(scheme, [await closed()])
    for (const state of steps) {
      // Each account by a request of its own, and all of them twice.
      const requests = [...created.accounts, ...created.accounts].map((account) =>
        stepAll(scheme, { ...created, accounts: [account] }, state),
      )
      await Promise.all(requests)
      const { settlement } = await scheme.settlements.GetSettlement({ id: created.id })
      expect(settlement?.state).toBe(state)
    }
    expect(await positions()).toEqual(before)
    expect(await transit()).toBe('0')
  })

  test('An aborted settlement reverses its movements, and its window can be settled again', async () => {
    const before = await positions()
    await payAround()
    const windowId = await closed()
    const during = await positions()
    const first = await settle(scheme, [windowId])
    await stepAll(scheme, first, 'PS_TRANSFERS_RECORDED')
    await stepAll(scheme, first, 'PS_TRANSFERS_RESERVED')
    const abortion = { settlementId: first.id, actor: 'ada' }
    const { settlement } = await scheme.settlements.AbortSettlement({
      ...abortion,
      explanation: 'the bank is closed',
    })
    expect(settlement).toMatchObject({ state: 'ABORTED', explanation: 'the bank is closed' })
    expect(await positions()).toEqual(during)
    expect(await transit()).toBe('0')
    const reworded = await scheme.settlements.AbortSettlement({
      ...abortion,
      explanation: 'holiday',
    })
    expect(reworded.settlement).toMatchObject({ state: 'ABORTED', explanation: 'holiday' })
    expect((await scheme.windows.GetSettlementWindow({ id: windowId })).window?.state).toBe(
      'ABORTED',
    )

    const second = await settle(scheme, [windowId])
    for (const state of steps) await stepAll(scheme, second, state)
    expect(await positions()).toEqual(before)
    expect((await scheme.settlements.GetSettlement({ id: first.id })).settlement?.state).toBe(
      'ABORTED',
    )
  })

  test('A settlement takes only the content of its model, and a window waits for all its settlements', async () => {
    await payAround()
    const euro = { currency: 'EUR', modelId: euros }
    await pay(scheme, { payer: 'redpay', payee: 'greenbank', amount: '8', ...euro })
    const windowId = await closed()
    const stateOf = async () =>
      (await scheme.windows.GetSettlementWindow({ id: windowId })).window?.state
    const dollars = await settle(scheme, [windowId])
    expect(dollars.accounts.every(({ currency }) => currency === 'USD')).toBe(true)
    const inEuros = await settle(scheme, [windowId], 'EURONET')
    expect(await stateOf()).toBe('PENDING_SETTLEMENT')
    for (const state of steps) await stepAll(scheme, dollars, state)
    expect(await stateOf()).toBe('PENDING_SETTLEMENT')
    for (const state of steps) await stepAll(scheme, inEuros, state)
    expect(await stateOf()).toBe('SETTLED')
    expect(await positions('EUR').then((values) => values[1])).toBe('-3.5')
  })

  test('A settlement of several windows nets over all of them', async () => {
    await payAround()
    const first = await closed()
    await pay(scheme, { payer: 'bluewallet', payee: 'greenbank', amount: '6', modelId: net })
    const second = await closed()
    const settlement = await settle(scheme, [first, second])
    expect(settlement.accounts.map(({ net: owed }) => owed)).toEqual(['0', '2', '-2'])
    for (const state of steps) await stepAll(scheme, settlement, state)
    const query = { settlementId: settlement.id, limit: 2 }
    const rows = []
    for (let cursor: string | undefined; ;) {
      const page = (await scheme.reports.ListSettlementTransfers({ ...query, cursor })).rows
      rows.push(...(page?.rows ?? []))
      cursor = page?.cursor
      if (cursor === undefined) break
    }
    expect(rows).toHaveLength(4)
    expect(new Set(rows.map(({ windowId, amount }) => `${windowId}: ${amount}`))).toEqual(
      new Set([`${first}: 10`, `${first}: 4`, `${first}: 6`, `${second}: 6`]),
    )
  })

  test('A settlement of unsuitable windows is refused, and one is created once per request', async () => {
    await payAround()
    const windowId = await closed()
    await payAround()
    const request = { requestId: randomUUID(), explanation: 'daily', actor: 'ada' }
    const create = (model: string, ...windowIds: readonly number[]) =>
      scheme.settlements.CreateSettlement({ ...request, model, windowIds: [...windowIds] }, patient)
    expect((await create('NOBODY', windowId)).refusal?.reason).toBe('MODEL_UNKNOWN')
    expect((await create('DEFERREDNET')).refusal?.reason).toBe('INVALID')
    expect((await create('DEFERREDNET', windowId, windowId)).refusal?.reason).toBe('INVALID')
    expect((await create('DEFERREDNET', 9_999)).refusal?.reason).toBe('WINDOW_UNKNOWN')
    const open = await openWindow(scheme)
    expect((await create('DEFERREDNET', windowId, open)).refusal).toEqual({
      reason: 'WINDOW_NOT_APPLICABLE',
      detail: `Inapplicable windows: ${open}`,
    })
    expect((await create('EURONET', windowId)).refusal?.reason).toBe('WINDOW_NOT_APPLICABLE')
    const { settlement } = await create('DEFERREDNET', windowId)
    const again = await create('DEFERREDNET', windowId)
    expect(again.settlement?.id).toBe(settlement?.id)
    expect((await create('EURONET', windowId)).refusal?.reason).toBe('MODIFIED')
    const once = await scheme.settlements.CreateSettlement({
      ...request,
      requestId: randomUUID(),
      model: 'DEFERREDNET',
      windowIds: [windowId],
    })
    expect(once.refusal?.reason).toBe('WINDOW_NOT_APPLICABLE')
  })

  test('The unpaid amount of a sender reduces its cover until its funds out', async () => {
    await pay(scheme, { payer: 'greenbank', payee: 'redpay', amount: '9999000', modelId: net })
    const created = await settle(scheme, [await closed()])
    for (const state of steps.slice(0, 3)) await stepAll(scheme, created, state)
    const payment = { payer: 'greenbank', payee: 'redpay', amount: '2000', modelId: net }
    await expect(pay(scheme, payment)).rejects.toThrow('COVER_SHORT')
    const accountId = await accountOf(scheme, 'greenbank', 'SETTLEMENT')
    const { refusal } = await scheme.participants.ManageFundsCreditDebitPairInstruction({
      transferId: randomUUID(),
      name: 'greenbank',
      accountId,
      kind: 'DEPOSIT',
      amount: '5000',
      currency: 'USD',
      explanation: 'more',
    })
    expect(refusal ?? null).toBeNull()
    await pay(scheme, payment)

    // The funds out that settle it take no more cover than was excluded already.
    const funds = scheme.parts.grpc.client(fundsService, 'participant-lifecycle')
    const out = { transferId: randomUUID(), name: 'greenbank', accountId, explanation: 'settled' }
    const { movement } = await funds.RecordFundsOutPrepareReserve({
      ...out,
      kind: 'WITHDRAWAL',
      amount: '9999000',
      currency: 'USD',
      externalReference: 'bank 7',
    })
    expect(movement?.state).toBe('RESERVED')
    await pay(scheme, { ...payment, amount: '1000' })
    await expect(pay(scheme, { ...payment, amount: '3001' })).rejects.toThrow('COVER_SHORT')
    await funds.RecordFundsOutCommit({ ...out, actor: 'ada' })
    await expect(pay(scheme, { ...payment, amount: '3001' })).rejects.toThrow('COVER_SHORT')
    await pay(scheme, { ...payment, amount: '2900' })
  })
})

const steps = [
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const
