/** Each kind of settlement model with the real ledger, and interchange fees. */
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { defaultsOf } from '@causeway/process/testing'
import type { SettlementModel, SettlementModelInterchange } from '@causeway/protos'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { grossPages } from './settlements/store.ts'
import {
  accountOf,
  addFsp,
  addModel,
  closeOpen,
  deposit,
  differencesIn,
  openHub,
  openTestScheme,
  openWindow,
  pay,
  settle,
  stepAll,
  valueOf,
  type TestScheme,
} from './testing/scheme.ts'

let scheme: TestScheme

const steps = [
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const

const fsps = ['greenbank', 'bluewallet', 'redpay'] as const
const valuesOf = (type: string, currency: string) =>
  Promise.all(fsps.map((name) => valueOf(scheme, name, type, currency)))
const gross = { granularity: 'GROSS' } as const

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
  })
})

afterAll(() => scheme.stop())

afterEach(async () => {
  expect(await differencesIn(scheme)).toEqual([])
})

/** A currency of its own for each test, with one model of positions. */
async function begin(
  currency: string,
  changes: Partial<SettlementModel>,
  funding: Parameters<typeof addFsp>[3] = {},
): Promise<number> {
  await openHub(scheme, currency)
  const id = await addModel(scheme, { name: `OF${currency}`, currency, ...changes })
  for (const name of fsps) await addFsp(scheme, name, currency, funding)
  return id
}

test('A net bilateral model settles each pair by itself, without the hub', async () => {
  const currency = 'EUR'
  const modelId = await begin(currency, { interchange: 'BILATERAL' })
  await pay(
    scheme,
    { payer: 'greenbank', payee: 'bluewallet', amount: '10', currency, modelId },
    { payer: 'bluewallet', payee: 'greenbank', amount: '4', currency, modelId },
    { payer: 'bluewallet', payee: 'redpay', amount: '7', currency, modelId },
  )
  const created = await settle(scheme, [(await closeOpen(scheme)).id], 'OFEUR')
  expect(created.accounts.map(({ net }) => net)).toEqual(['6', '1', '-7'])
  await stepAll(scheme, created, steps[0])
  await stepAll(scheme, created, steps[1])
  expect(await valuesOf('POSITION', currency)).toEqual(['6', '1', '-7'])
  const [greenbank] = created.accounts
  // Greenbank alone is confirmed: what it owes bluewallet is settled, not what bluewallet owes.
  await stepAll(scheme, { ...created, accounts: greenbank ? [greenbank] : [] }, steps[2])
  expect(await valuesOf('POSITION', currency)).toEqual(['0', '7', '-7'])
  await stepAll(scheme, { ...created, accounts: created.accounts.slice(1) }, steps[2])
  expect(await valuesOf('POSITION', currency)).toEqual(['0', '0', '0'])
  expect(await valueOf(scheme, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT', currency)).toBe('0')
  expect((await stepAll(scheme, created, steps[3])).state).toBe('SETTLED')
})

test.each<[string, SettlementModelInterchange]>([
  ['GBP', 'BILATERAL'],
  ['PLN', 'MULTILATERAL'],
])(
  'A gross deferred model (%s, %s) moves the money of each transfer when its payer is committed',
  async (currency, interchange) => {
    const modelId = await begin(currency, { ...gross, interchange })
    const how = { currency, modelId, settles: 'GROSS_DEFERRED' } as const
    await pay(
      scheme,
      { payer: 'greenbank', payee: 'bluewallet', amount: '10', ...how },
      { payer: 'greenbank', payee: 'redpay', amount: '1.5', ...how },
      { payer: 'bluewallet', payee: 'greenbank', amount: '4', ...how },
    )
    const { id } = await closeOpen(scheme)
    const payers = new Set([await accountOf(scheme, 'greenbank', 'POSITION', currency)])
    // However short the pages are, each transfer is in one of them.
    const amounts: bigint[] = []
    for await (const page of grossPages(scheme.db, id, modelId, payers, 1)) {
      amounts.push(...page.map(({ amount }) => amount))
    }
    expect(new Set(amounts)).toEqual(new Set([100_000n, 15_000n]))
    expect(amounts).toHaveLength(2)
    const created = await settle(scheme, [id], `OF${currency}`)
    await stepAll(scheme, created, steps[0])
    await stepAll(scheme, created, steps[1])
    expect(await valuesOf('POSITION', currency)).toEqual(['7.5', '-6', '-1.5'])
    await stepAll(scheme, created, steps[2])
    expect(await valuesOf('POSITION', currency)).toEqual(['0', '0', '0'])
    expect(await valuesOf('SETTLEMENT', currency)).toEqual([
      '-9999992.5',
      '-10000006',
      '-10000001.5',
    ])
    expect(await valueOf(scheme, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT', currency)).toBe('0')
    expect((await stepAll(scheme, created, steps[3])).state).toBe('SETTLED')
  },
)

test.each([
  ['KES', 'BILATERAL', 'GROSS_IMMEDIATE'],
  ['UGX', 'MULTILATERAL', 'GROSS_IMMEDIATE_MULTILATERAL'],
] as const)(
  'A gross immediate transfer (%s, %s) is settled when it commits, in no window',
  async (currency, interchange, settles) => {
    const modelId = await begin(currency, { ...gross, interchange, delay: 'IMMEDIATE' })
    const windowId = await openWindow(scheme)
    const how = { currency, modelId, settles }
    await pay(scheme, { payer: 'greenbank', payee: 'bluewallet', amount: '10', ...how })
    expect(await valuesOf('POSITION', currency)).toEqual(['0', '0', '0'])
    expect(await valuesOf('SETTLEMENT', currency)).toEqual(['-9999990', '-10000010', '-10000000'])
    expect(await valueOf(scheme, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT', currency)).toBe('0')
    const closing = { requestId: currency, windowId, explanation: 'end', actor: 'ada' }
    const { refusal } = await scheme.windows.CloseSettlementWindow(closing)
    expect(refusal?.reason).toBe('WINDOW_EMPTY')
    const { refusal: settling } = await scheme.settlements.CreateSettlement({
      requestId: currency,
      model: `OF${currency}`,
      explanation: '',
      windowIds: [windowId],
      actor: 'ada',
    })
    expect(settling?.reason).toBe('MODEL_SETTLES_AT_ONCE')
  },
)

test('Positions of a model that settles to another account are covered by deposits on that account', async () => {
  const currency = 'CHF'
  const type = 'INTERCHANGE_FEE_SETTLEMENT'
  const modelId = await begin(currency, { settlementAccountType: type }, { deposit: '3', type })
  const payment = { payer: 'greenbank', payee: 'redpay', amount: '10', currency, modelId }
  await expect(pay(scheme, payment)).rejects.toThrow('COVER_SHORT')
  await deposit(scheme, 'greenbank', '7', { currency, type })
  await pay(scheme, payment)
  await expect(pay(scheme, payment)).rejects.toThrow('COVER_SHORT')
  const created = await settle(scheme, [(await closeOpen(scheme)).id], 'OFCHF')
  for (const state of steps) await stepAll(scheme, created, state)
  expect(await valuesOf('POSITION', currency)).toEqual(['0', '0', '0'])
  expect(await valuesOf(type, currency)).toEqual(['0', '-3', '-13'])
  // What was received covers payments now.
  await pay(scheme, { ...payment, payer: 'redpay', payee: 'greenbank' })
})

test('A model without position reset moves nothing in any state', async () => {
  const currency = 'TZS'
  const modelId = await begin(currency, { autoPositionReset: false })
  await pay(scheme, { payer: 'greenbank', payee: 'redpay', amount: '10', currency, modelId })
  const created = await settle(scheme, [(await closeOpen(scheme)).id], 'OFTZS')
  for (const state of steps) await stepAll(scheme, created, state)
  expect(await valuesOf('POSITION', currency)).toEqual(['10', '0', '-10'])
})

test('Interchange fees are posted with their transfers and netted in the same window', async () => {
  const currency = 'ZAR'
  const modelId = await begin(currency, {})
  await addModel(scheme, {
    name: 'FEESOFZAR',
    currency,
    ledgerAccountType: 'INTERCHANGE_FEE',
    interchangeFeePercentage: '0.6',
  })
  await pay(
    scheme,
    { payer: 'greenbank', payee: 'bluewallet', amount: '100', currency, modelId },
    { payer: 'bluewallet', payee: 'redpay', amount: '51', currency, modelId },
    // Rounds to nothing.
    { payer: 'bluewallet', payee: 'redpay', amount: '0.5', currency, modelId },
  )
  expect(await valuesOf('INTERCHANGE_FEE', currency)).toEqual(['0.6', '-0.29', '-0.31'])
  const windowId = (await closeOpen(scheme)).id
  const fees = await settle(scheme, [windowId], 'FEESOFZAR')
  expect(fees.accounts.map(({ net }) => net)).toEqual(['0.6', '-0.29', '-0.31'])
  for (const state of steps) await stepAll(scheme, fees, state)
  expect(await valuesOf('INTERCHANGE_FEE', currency)).toEqual(['0', '0', '0'])
  expect(await valuesOf('INTERCHANGE_FEE_SETTLEMENT', currency)).toEqual(['0.6', '-0.29', '-0.31'])
  const { rows } = await scheme.reports.ListSettlementTransfers({
    settlementId: fees.id,
    participant: 'greenbank',
  })
  expect(rows?.rows).toMatchObject([{ kind: 'FEE', amount: '0.6', payerFsp: 'greenbank' }])
  // The fees are settled; the payments themselves wait for a settlement of their own model.
  const { window } = await scheme.windows.GetSettlementWindow({ id: windowId })
  expect(window?.state).toBe('PENDING_SETTLEMENT')
  expect(window?.contents.map(({ state }) => state).toSorted()).toEqual(['CLOSED', 'SETTLED'])

  // Switched off, it is charged no more.
  await scheme.models.UpdateSettlementModel({ name: 'FEESOFZAR', isActive: false, actor: 'ada' })
  await pay(scheme, { payer: 'greenbank', payee: 'bluewallet', amount: '100', currency, modelId })
  expect(await valuesOf('INTERCHANGE_FEE', currency)).toEqual(['0', '0', '0'])
})

test('A model of SETTLEMENT accounts is accepted and an inactive one settles nothing new', async () => {
  const currency = 'NGN'
  const modelId = await begin(currency, {})
  await addModel(scheme, { name: 'SETTLENGN', currency, ledgerAccountType: 'SETTLEMENT' })
  await pay(scheme, { payer: 'greenbank', payee: 'redpay', amount: '10', currency, modelId })
  const windowId = (await closeOpen(scheme)).id
  await scheme.models.UpdateSettlementModel({ name: 'OFNGN', isActive: false, actor: 'ada' })
  await expect(settle(scheme, [windowId], 'OFNGN')).rejects.toThrow('inactive')
  await scheme.models.UpdateSettlementModel({ name: 'OFNGN', isActive: true, actor: 'ada' })
  const created = await settle(scheme, [windowId], 'OFNGN')
  expect(created.accounts).toHaveLength(2)
  const { models } = await scheme.models.GetSettlementModels({ currency })
  expect(models.map(({ name, isActive }) => [name, isActive])).toEqual([
    ['OFNGN', true],
    ['SETTLENGN', true],
  ])
})

test('A default model settles each of its currencies separately', async () => {
  const modelId = await addModel(scheme, { name: 'OFALLOTHERS', currency: undefined })
  for (const currency of ['SEK', 'NOK']) {
    await openHub(scheme, currency)
    for (const name of fsps) await addFsp(scheme, name, currency)
  }
  await pay(
    scheme,
    { payer: 'greenbank', payee: 'redpay', amount: '10', currency: 'SEK', modelId },
    { payer: 'redpay', payee: 'greenbank', amount: '10', currency: 'NOK', modelId },
  )
  const created = await settle(scheme, [(await closeOpen(scheme)).id], 'OFALLOTHERS')
  expect(created.windows[0]?.contents.map(({ currency }) => currency)).toEqual(['NOK', 'SEK'])
  expect(created.accounts.map(({ currency, net }) => `${net} ${currency}`)).toEqual([
    '10 SEK',
    '-10 NOK',
    '-10 SEK',
    '10 NOK',
  ])
  for (const state of steps) await stepAll(scheme, created, state)
  expect(await valuesOf('POSITION', 'SEK')).toEqual(['0', '0', '0'])
  expect(await valuesOf('POSITION', 'NOK')).toEqual(['0', '0', '0'])
})
