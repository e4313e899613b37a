/**
 * Windows closed while transfers commit, and one that holds 100,000 of them. Times are printed,
 * never judged: the machine may be busy.
 */
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { formatAmount, parseDecimal } from '@causeway/money'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { statement, type Database } from '@causeway/postgres'
import { defaultsOf } from '@causeway/process/testing'
import type { LedgerAnswer, SettlementWindow, TransferRow } from '@causeway/protos'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
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
  untilState,
  valueOf,
  type SchemePayment,
  type TestScheme,
} from './testing/scheme.ts'

let scheme: TestScheme
const models = new Map<string, number>()
const fsps = ['greenbank', 'bluewallet', 'redpay', 'goldcoop'] as const
const currencies = ['USD', 'EUR'] as const

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
  })
  for (const currency of currencies) {
    await openHub(scheme, currency)
    models.set(currency, await addModel(scheme, { name: `OF${currency}`, currency }))
    for (const name of fsps) await addFsp(scheme, name, currency)
  }
}, 60_000)

afterAll(() => scheme.stop())

afterEach(async () => {
  expect(await differencesIn(scheme)).toEqual([])
}, 120_000)

async function positions(): Promise<ReadonlyMap<string, bigint>> {
  const found = new Map<string, bigint>()
  for (const currency of currencies) {
    for (const name of fsps) {
      const value = await valueOf(scheme, name, 'POSITION', currency)
      found.set(`${name} ${currency}`, parseDecimal(value ?? '') ?? 0n)
    }
  }
  return found
}

/** Payments between all FSPs, of different amounts. */
function payment(number: number): SchemePayment {
  const currency = currencies[number % 2] ?? 'USD'
  const payer = fsps[number % 4] ?? 'greenbank'
  const payee = fsps[(number + 1 + (number % 3)) % 4] ?? 'redpay'
  const amount = formatAmount(BigInt(1 + (number % 97)) * 1_111n)
  return { payer, payee, amount, currency, modelId: models.get(currency) ?? 0 }
}

/** Every row behind what a participant has in a window. */
async function rowsOf(participant: string, windowId: number): Promise<readonly TransferRow[]> {
  const rows: TransferRow[] = []
  for (let cursor: string | undefined; ;) {
    const query = { participant, windowId, cursor, limit: 200 }
    const page = (await scheme.reports.ListReconciliation(query)).rows
    rows.push(...(page?.rows ?? []))
    cursor = page?.cursor
    if (cursor === undefined) return rows
  }
}

/** What a window holds by participant and currency; each currency comes to nothing. */
function netsOf(windows: readonly SettlementWindow[]): ReadonlyMap<string, bigint> {
  const nets = new Map<string, bigint>()
  for (const { contents } of windows) {
    for (const content of contents) {
      const own = content.nets.map(({ net }) => parseDecimal(net) ?? 0n)
      expect(own.reduce((sum, net) => sum + net, 0n)).toBe(0n)
      for (const [at, { participant }] of content.nets.entries()) {
        const key = `${participant} ${content.currency}`
        nets.set(key, (nets.get(key) ?? 0n) + (own[at] ?? 0n))
      }
    }
  }
  return nets
}

test('Windows closed continuously contain each committed transfer once, and nothing else', async () => {
  const before = await positions()
  const rounds = 40
  const perRound = 25
  const paying = { isOver: false }
  const posted: LedgerAnswer[] = []
  const paid = (async () => {
    for (let round = 0; round < rounds; round++) {
      const payments = Array.from({ length: perRound }, (_one, at) =>
        payment(round * perRound + at),
      )
      posted.push(...(await pay(scheme, ...payments)))
    }
    paying.isOver = true
  })()
  const closed: number[] = []
  while (!paying.isOver) {
    const windowId = await openWindow(scheme)
    const request = { requestId: randomUUID(), windowId, explanation: 'again', actor: 'ada' }
    const { refusal } = await scheme.windows.CloseSettlementWindow(request, patient)
    if (refusal) expect(refusal.reason).toBe('WINDOW_EMPTY')
    else closed.push(windowId)
  }
  await paid
  const last = await openWindow(scheme)
  const request = { requestId: randomUUID(), windowId: last, explanation: 'the last', actor: 'ada' }
  if (!(await scheme.windows.CloseSettlementWindow(request, patient)).refusal) closed.push(last)
  const windows = await Promise.all(closed.map((id) => untilState(scheme, id, 'CLOSED')))

  // By transfer: the window in which its payer finds it, and its payee.
  const found = new Map<string, number[]>()
  for (const windowId of closed) {
    for (const name of fsps) {
      for (const { transferId } of await rowsOf(name, windowId)) {
        found.set(transferId, [...(found.get(transferId) ?? []), windowId])
      }
    }
  }
  expect(found).toEqual(
    new Map(posted.map(({ transferId, windowId = 0 }) => [transferId, [windowId, windowId]])),
  )
  const counted = windows.flatMap(({ contents }) =>
    contents.map(({ transfersCount }) => Number(transfersCount)),
  )
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(rounds * perRound)

  const after = await positions()
  const nets = netsOf(windows)
  for (const [key, value] of after)
    expect(value - (before.get(key) ?? 0n)).toBe(nets.get(key) ?? 0n)
  for (const currency of currencies) {
    const holding = windows.filter(({ contents }) =>
      contents.some((content) => content.currency === currency),
    )
    const created = await settle(
      scheme,
      holding.map(({ id }) => id),
      `OF${currency}`,
    )
    for (const state of [
      'PS_TRANSFERS_RECORDED',
      'PS_TRANSFERS_RESERVED',
      'PS_TRANSFERS_COMMITTED',
      'SETTLED',
    ] as const) {
      await stepAll(scheme, created, state)
    }
  }
  expect(await positions()).toEqual(before)
}, 120_000)

test('A window with 100,000 transfers closes like one with few', async () => {
  const count = 100_000
  await closeOpenIfAny()
  const windowId = await openWindow(scheme)
  await plant(windowId, count)
  const idle = await latencies(50)
  const sampling = latenciesWhile()
  const began = performance.now()
  const request = { requestId: randomUUID(), windowId, explanation: 'end of day', actor: 'ada' }
  const { window } = await scheme.windows.CloseSettlementWindow(request, patient)
  const took_ms = performance.now() - began
  const during = await sampling.stop()
  expect(window?.state).toBe('OPEN')
  const closed = await untilState(scheme, windowId, 'CLOSED')
  const [content] = closed.contents.filter(({ currency }) => currency === 'USD')
  expect(Number(content?.transfersCount)).toBeGreaterThanOrEqual(count)
  netsOf([closed])
  process.stdout.write(
    `closed ${count} transfers in ${took_ms.toFixed(0)} ms; a payment took ` +
      `${middle(idle).toFixed(1)} ms before and ${middle(during).toFixed(1)} ms meanwhile ` +
      `(longest ${Math.max(...idle).toFixed(0)} and ${Math.max(...during).toFixed(0)})\n`,
  )
}, 180_000)

async function closeOpenIfAny(): Promise<void> {
  await pay(scheme, payment(0))
  await closeOpen(scheme)
}

function middle(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

async function latencies(count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const began = performance.now()
    await pay(scheme, payment(at))
    times.push(performance.now() - began)
  }
  return times
}

function latenciesWhile(): { stop(): Promise<readonly number[]> } {
  const sampling = { isOver: false }
  const times = (async () => {
    const all: number[] = []
    while (!sampling.isOver) all.push(...(await latencies(1)))
    return all
  })()
  return {
    stop() {
      sampling.isOver = true
      return times
    },
  }
}

/** Posted transfers as the ledger and settlements would have stored them, set-based. */
async function plant(windowId: number, count: number): Promise<void> {
  const debit = await accountOf(scheme, 'greenbank', 'POSITION')
  const credit = await accountOf(scheme, 'redpay', 'POSITION')
  const modelId = models.get('USD') ?? 0
  const ledger: Database = await scheme.parts.openDatabase({
    url: '',
    ...schemaOf('participant-lifecycle'),
    connections_max: 1,
  })
  const run = (db: Database, text: string) => db.query(statement(text), [])
  const rows = `generate_series(1, ${count}) as n`
  await run(
    ledger,
    `insert into entries (id, kind, outcome, payer_fsp, payee_fsp, amount, currency, expires_at,
       payer_id, payee_id, debit_account_id, credit_account_id, model_id, settles, window_id,
       created_at, completed_at)
     select 'planted-' || n, 'TRANSFER', 'POSTED', 'greenbank', 'redpay', 1, 'USD', now(),
       payer.participant_id, payee.participant_id, payer.id, payee.id, ${modelId}, 'NET', ${windowId},
       now(), now()
     from ${rows}, accounts payer, accounts payee where payer.id = ${debit} and payee.id = ${credit}`,
  )
  await run(
    ledger,
    `insert into journal (month, entry_id, step, debit_account_id, credit_account_id, amount, at)
     select date_trunc('month', now()), 'planted-' || n, step, ${debit}, ${credit}, 1, now()
     from ${rows}, unnest(array['RESERVE', 'POST']) as step`,
  )
  await run(
    ledger,
    `with payer as (update accounts set debits_posted = debits_posted + ${count} where id = ${debit})
     update accounts set credits_posted = credits_posted + ${count} where id = ${credit}`,
  )
  await run(
    ledger,
    `insert into window_net (window_id, model_id, account_id, net, transfers_count) values
       (${windowId}, ${modelId}, ${debit}, ${count}, ${count}),
       (${windowId}, ${modelId}, ${credit}, -${count}, ${count})`,
  )
  await run(
    scheme.db,
    `with kept as (
       insert into lines (window_id, day, transfer_id, kind, state, reason, payer_fsp, payee_fsp,
         amount, currency, model_id, payer_account_id, payee_account_id, completed_timestamp,
         finalised_at)
       select ${windowId}, current_date, 'planted-' || n, 'TRANSFER', 'COMMITTED', '', 'greenbank',
         'redpay', 1, 'USD', ${modelId}, ${debit}, ${credit}, '', now()
       from ${rows}
     )
     insert into window_flows (window_id, model_id, payer_account_id, payee_account_id, amount,
       transfers_count)
     values (${windowId}, ${modelId}, ${debit}, ${credit}, ${count}, ${count})`,
  )
  await ledger.close()
}
