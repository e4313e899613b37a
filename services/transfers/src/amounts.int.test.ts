/**
 * The largest amount that FSPIOP allows, and the sum of a million of them, through every table, command
 * and announcement: what comes out is the text that went in.
 */
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { onEvents, type DomainEvent } from '@causeway/events'
import { openLedgerInMemory } from '@causeway/ledger/testing'
import { statement, type Database } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import type { PrepareItem } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openDeliveryStore } from '@causeway/records'
import { handleBatch, type ConsumedEvent } from './handle.ts'
import { openLedger, type LedgerCalls } from './ledger.ts'
import { openTransferStore } from './store.ts'
import { fulfilEvent, prepareEvent } from './testing/messages.ts'
import { openWorld } from './testing/world.ts'

const largest = '999999999999999999.9999'
const largestUnits = '9999999999999999999999'
const amount = { amount: largest, currency: 'USD' }
/** Of a million of the largest. */
const sum = '999999999999999999999900'
const sumUnits = '9999999999999999999999000000'

const announcements = [
  'TransferPrepared',
  'TransferCommittedFulfiled',
  'TransferPrepareLiquidityCheckFailed',
] as const

let parts: TestParts
let db: Database
const heard: DomainEvent<(typeof announcements)[number]>[] = []
const commands: PrepareItem[] = []

beforeAll(async () => {
  parts = await openTestParts()
  db = await parts.openDatabase({
    url: '',
    ...schemaOf('transfers'),
    connections_max: 4,
  })
  await openTransferStore(db, parts.bus).ensurePartitions(new Date())
  await onEvents(parts.bus, 'test', announcements, (events) => {
    heard.push(...events)
    return Promise.resolve()
  })
})

afterAll(async () => {
  await db.close()
  await parts.stop()
})

test('The largest amount appears to the digit in every message', async () => {
  const transferId = randomUUID()
  await handle(prepareEvent(transferId, { amount }))
  expect(commands.map((item) => item.amount)).toEqual([largest])
  await handle(fulfilEvent(transferId))
  const [prepared, committed] = await eventually(
    () => (heard.length === 2 ? heard : undefined),
    'two announcements',
  )
  const position = { value: sum, liquidity: `-${sum}`, limit: largest }
  expect(prepared?.payload).toMatchObject({ amount, payerPosition: position })
  expect(committed?.payload).toMatchObject({ amount, positions: [position, position] })
})

test('The largest amount appears to the digit in a refusal as well', async () => {
  const transferId = randomUUID()
  await handle(prepareEvent(transferId, { amount, payerFsp: 'poorbank' }))
  const refused = await eventually(
    () => heard.find(({ payload }) => payload.transferId === transferId),
    'the refusal',
  )
  expect(refused.payload).toMatchObject({ amount, payerPosition: { value: sum } })
})

test('Every column of money holds the largest amount and the sum of a million of them', async () => {
  const columns = await db.query<{ name: string; type: string }>(
    statement(`
      select c.table_name || '.' || c.column_name as name,
        format('%s(%s,%s)', c.data_type, c.numeric_precision, c.numeric_scale) as type
      from information_schema.columns c
      where c.table_schema = 'transfers' and c.data_type in ('numeric', 'money', 'real',
        'double precision', 'bigint')`),
    [],
  )
  expect(columns).toEqual([{ name: 'transfers.amount', type: 'numeric(40,0)' }])

  const transferId = randomUUID()
  await handle(prepareEvent(transferId, { amount }))
  const [row] = await db.query<{ amount: string; sum: string; column: string }>(
    statement(`
      select min(amount)::text as amount, sum(amount)::text as sum,
        sum(amount)::numeric(40, 0)::text as column
      from transfers, generate_series(1, 1000000) where id = $1`),
    [transferId],
  )
  expect(row).toEqual({ amount: largestUnits, sum: sumUnits, column: sumUnits })
})

/** A ledger in which a million such amounts have moved. */
const rich: LedgerCalls = (() => {
  const { calls } = openLedgerInMemory({
    now: () => 0,
    grace_ms: 0,
    refusals: new Map([['poorbank', 'COVER_SHORT']]),
  })
  const moved = ({ answers }: Awaited<ReturnType<LedgerCalls['ProcessTransferPrepare']>>) => {
    const position = { value: sum, liquidity: `-${sum}`, limit: largest }
    return {
      answers: answers.map((answer) => ({
        ...answer,
        payerPosition: answer.payerPosition && { ...answer.payerPosition, ...position },
        payeePosition: answer.payeePosition && { ...answer.payeePosition, ...position },
      })),
    }
  }
  return {
    ...calls,
    ProcessTransferPrepare: async (request, options) => {
      commands.push(...request.items)
      return moved(await calls.ProcessTransferPrepare(request, options))
    },
    ProcessTransferFulfil: async (request, options) =>
      moved(await calls.ProcessTransferFulfil(request, options)),
  }
})()

async function handle(event: ConsumedEvent): Promise<void> {
  const { signal } = new AbortController()
  const deps = {
    ...openWorld().deps,
    store: openTransferStore(db, parts.bus),
    ledger: openLedger(rich, { log: parts.log, signal }),
    now: () => new Date(),
  }
  await handleBatch(deps, openDeliveryStore(db, 'transfer_id'), [event])
}
