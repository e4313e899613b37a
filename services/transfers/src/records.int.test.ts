/** The operator's reads of transfers on PostgreSQL. */
import { schemaOf } from '@causeway/runtime'
import { statement, type Database } from '@causeway/postgres'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { claimedBy } from './contract.ts'
import { openRecordStore, selectOfCondition } from './records/record-store.ts'
import { openTransferStore, type Claim } from './store.ts'
import { hashOf, payer, prepareEvent } from './testing/messages.ts'

let parts: TestParts
let db: Database
const now = new Date()

beforeAll(async () => {
  parts = await openTestParts()
  db = await parts.openDatabase({
    url: '',
    ...schemaOf('transfers'),
    connections_max: 1,
  })
})

afterAll(async () => {
  await db.close()
  await parts.stop()
})

function claimOf(id: string, condition: string, payerFsp: string, receivedAt: Date): Claim {
  return {
    transfer: claimedBy(
      prepareEvent(id, { condition, payerFsp, receivedAt: receivedAt.toISOString() }),
    ),
    sweepAt: now,
    relay: undefined,
  }
}

test('The transfers of a condition are read along its index, whatever else their payer FSP has paid', async () => {
  const store = openTransferStore(db, parts.bus)
  await store.ensurePartitions(now)
  const asked = hashOf('the condition that is asked for')
  const [earlier, later] = [randomUUID(), randomUUID()]
  const at = (ms: number) => new Date(now.getTime() + ms)
  const others = Array.from({ length: 3_000 }, (_, n) =>
    claimOf(randomUUID(), hashOf(`condition ${n}`), payer, at(n)),
  )
  await store.claim(
    [
      claimOf(later, asked, payer, at(2_000)),
      claimOf(earlier, asked, payer, at(1_000)),
      claimOf(randomUUID(), asked, 'another payer', at(1_500)),
      ...others,
    ],
    now,
  )
  await db.query(statement('analyze transfers'), [])
  expect(await openRecordStore(db).ofCondition(payer, asked)).toEqual([earlier, later])
  const explain = statement(`explain (analyze, timing off, summary off, costs off, buffers off)
    ${selectOfCondition.text}`)
  const lines = await db.query<{ 'QUERY PLAN': string }>(explain, [payer, asked])
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
  expect(plan).toContain('Index Scan using transfers_by_condition')
  expect(plan).toContain('Rows Removed by Filter: 1')
})
