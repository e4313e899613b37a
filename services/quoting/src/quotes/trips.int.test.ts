/** The database round trips of a batch of any size. */
import { randomUUID } from 'node:crypto'
import type { Database } from '@causeway/postgres'
import type { ProcessParts } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { ConsumedEvent } from '../handle.ts'
import { payer, queryEvent, requestEvent, responseEvent } from '../testing/messages.ts'
import { openWorld, type QuotingWorld } from '../testing/world.ts'

let parts: TestParts
let world: QuotingWorld
let statements = 0
let transactions = 0

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld({ ...parts, openDatabase: counting(parts) })
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

beforeEach(() => world.setRules())

/**
 * The announcements and the COMMIT are not the service's own statements; they take one more round
 * trip.
 */
function counting(own: ProcessParts): ProcessParts['openDatabase'] {
  return async (options) => {
    const db: Database = await own.openDatabase(options)
    return {
      ...db,
      query(...args) {
        statements++
        return db.query(...args)
      },
      transaction(work, transactionOptions) {
        transactions++
        return db.transaction(
          (tx) =>
            work({
              ...tx,
              query(...args) {
                statements++
                return tx.query(...args)
              },
            }),
          transactionOptions,
        )
      },
    }
  }
}

async function costOf(events: readonly ConsumedEvent[]) {
  statements = 0
  transactions = 0
  await world.handle(...events)
  return { statements, transactions }
}

function ids(): readonly string[] {
  return Array.from({ length: 50 }, () => randomUUID())
}

test('Requests and their answers are one statement in one transaction each', async () => {
  const all = ids()
  const one = { statements: 1, transactions: 1 }
  expect(await costOf(all.map((id) => requestEvent(id)))).toEqual(one)
  expect(await costOf(all.map((id) => responseEvent(id)))).toEqual(one)
})

test('Repeated requests take one more read for all of them', async () => {
  const all = ids()
  await world.handle(...all.map((id) => requestEvent(id)))
  expect(await costOf(all.map((id) => requestEvent(id)))).toEqual({
    statements: 2,
    transactions: 1,
  })
})

test('Repeated answers and queries are one statement without transaction', async () => {
  const all = ids()
  await world.handle(...all.map((id) => requestEvent(id)))
  await world.handle(...all.map((id) => responseEvent(id)))
  const one = { statements: 1, transactions: 0 }
  expect(await costOf(all.map((id) => responseEvent(id)))).toEqual(one)
  expect(await costOf(all.map((id) => queryEvent(id, payer)))).toEqual(one)
})

test('A velocity rule takes one more statement for the requests of a batch', async () => {
  const rule = { type: 'VELOCITY', currency: 'USD', windowMinutes: 60, maxCount: 1_000 }
  await world.setRules({ id: 'hour', ...rule }, { id: 'day', ...rule, windowMinutes: 1_440 })
  expect(await costOf(ids().map((id) => requestEvent(id)))).toEqual({
    statements: 2,
    transactions: 1,
  })
})
