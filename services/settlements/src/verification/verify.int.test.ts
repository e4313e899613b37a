/** Verify finds differences between settlements and the ledger and describes them in sentences. */
import { schemaOf } from '@causeway/runtime'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { statement, type Database } from '@causeway/postgres'
import { defaultsOf } from '@causeway/process/testing'
import type { Settlement } from '@causeway/protos'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import {
  addFsp,
  addModel,
  closeOpen,
  openHub,
  openTestScheme,
  pay,
  settle,
  stepAll,
  type TestScheme,
} from '../testing/scheme.ts'
import { verifySettlements } from './verify.ts'

let scheme: TestScheme
let ledger: Database
let committed: Settlement
let pending: Settlement
let windowId: number

const steps = ['PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED', 'PS_TRANSFERS_COMMITTED'] as const

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
  })
  ledger = await scheme.parts.openDatabase({
    url: '',
    ...schemaOf('participant-lifecycle'),
    connections_max: 1,
  })
  await openHub(scheme)
  const modelId = await addModel(scheme)
  for (const name of ['greenbank', 'bluewallet']) await addFsp(scheme, name)
  const payment = { payer: 'greenbank', payee: 'bluewallet', modelId }
  await pay(scheme, { ...payment, amount: '10' }, { ...payment, amount: '4' })
  windowId = (await closeOpen(scheme)).id
  committed = await settle(scheme, [windowId])
  for (const state of steps) await stepAll(scheme, committed, state)
  await pay(scheme, { ...payment, amount: '3' })
  pending = await settle(scheme, [(await closeOpen(scheme)).id])
  for (const table of ['entries', 'current_window']) {
    await inLedger(`create table kept_${table} as table ${table}`)
  }
  for (const table of tables) await inOwn(`create table kept_${table} as table ${table}`)
}, 60_000)

afterAll(async () => {
  await ledger.close()
  await scheme.stop()
})

const tables = ['settlements', 'settlement_accounts', 'lines'] as const

const inLedger = (text: string) => ledger.query(statement(text), [])
const inOwn = (text: string) => scheme.db.query(statement(text), [])

async function differences(): Promise<readonly string[]> {
  const parts = { db: scheme.db, ledger: scheme.ledger }
  return (await verifySettlements(parts, new Date(), 1)).differences
}

beforeEach(async () => {
  expect(await differences()).toEqual([])
})

afterEach(async () => {
  await inLedger(`delete from entries`)
  await inLedger(`insert into entries select * from kept_entries`)
  await inLedger(
    `update current_window set window_id = kept.window_id from kept_current_window kept`,
  )
  await inOwn(`delete from lines`)
  await inOwn(`insert into lines select * from kept_lines`)
  await inOwn(`update settlements set state = kept.state from kept_settlements kept
    where kept.id = settlements.id`)
  await inOwn(`update settlement_accounts accounts set state = kept.state
    from kept_settlement_accounts kept
    where kept.settlement_id = accounts.settlement_id and kept.account_id = accounts.account_id`)
})

const planted: readonly (readonly [string, () => Promise<unknown>, readonly RegExp[]])[] = [
  [
    'a step that the ledger has not posted',
    () => inLedger(`delete from entries where kind = 'SETTLEMENT' and payer_fsp = 'bluewallet'`),
    [/^Settlement 1 has moved 14 USD \(RESERVED\/\d+\), the ledger has posted nothing for it\.$/],
  ],
  [
    'a step that the ledger has posted with another amount',
    () =>
      inLedger(`update entries set amount = amount + 10000
        where kind = 'SETTLEMENT' and payee_fsp = 'greenbank'`),
    [
      /^Settlement 1 has moved 14 USD \(COMMITTED\/\d+\), the ledger has posted POSTED 15 USD for it\.$/,
    ],
  ],
  [
    'what the ledger has posted for a settlement that has not reached that state',
    async () => {
      await inOwn(`update settlements set state = 'PENDING_SETTLEMENT'`)
      await inOwn(`update settlement_accounts set state = 'PENDING_SETTLEMENT'`)
    },
    [
      /^The ledger has posted 14 USD from \w+ to \w+ \(.*\), which no settlement has moved\.$/,
      /^The ledger has posted 14 USD from \w+ to \w+ \(.*\), which no settlement has moved\.$/,
    ],
  ],
  [
    'what the ledger has posted for no settlement',
    () =>
      inLedger(`insert into entries (id, kind, outcome, payer_fsp, payee_fsp, amount, currency,
        debit_account_id, credit_account_id, created_at, completed_at)
        values ('stray', 'SETTLEMENT', 'POSTED', 'a', 'b', 10000, 'USD', 1, 2, now(), now())`),
    [/^The ledger has posted 1 USD from a to b \(stray\), which no settlement has moved\.$/],
  ],
  [
    'two lines of one pair with each other’s amounts',
    () => inOwn(`update lines set amount = 140000 - amount where window_id = ${windowId}`),
    [
      /^The line of TRANSFER .* has amount (4|10) instead of (4|10)\.$/,
      /^The line of TRANSFER .* has amount (4|10) instead of (4|10)\.$/,
    ],
  ],
  [
    'another open window than the one that the ledger stamps with',
    () => inLedger(`update current_window set window_id = 99`),
    [/^Window \d+ is OPEN, but the ledger stamps transfers with window 99\.$/],
  ],
]

test.each(planted)('Verify finds %s', async (_, meddle, sentences) => {
  await meddle()
  const found = await differences()
  expect(found).toHaveLength(sentences.length)
  for (const [at, sentence] of sentences.entries()) expect(found[at]).toMatch(sentence)
})

test('A settlement with an open step is no difference, whether or not it has moved money', async () => {
  const step = JSON.stringify({
    changes: pending.accounts.map(({ accountId }) => ({
      accountId,
      state: 'PS_TRANSFERS_RESERVED',
      reason: '',
      externalReference: '',
    })),
    state: 'PS_TRANSFERS_RESERVED',
    aborted: null,
  })
  await inOwn(`insert into settlement_steps (settlement_id, step, actor)
    values (${pending.id}, '${step}', 'ada')`)
  expect(await differences()).toEqual([])
  await inOwn(`delete from settlement_steps`)
})
