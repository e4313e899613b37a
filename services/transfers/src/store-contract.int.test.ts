/**
 * The tables in memory, which tests of the steps stand on, do what the tables in PostgreSQL do: any history
 * of calls gets the same answers from both.
 */
import { schemaOf } from '@causeway/runtime'
import { statement, type Database } from '@causeway/postgres'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { claimedBy } from './contract.ts'
import type { Claimed, Final, Open } from './domain/transfer.ts'
import { openTransferStore, type TransferMove, type TransferTables } from './store.ts'
import { fulfilment, hashOf, prepareEvent, relayOf } from './testing/messages.ts'
import { simulateStore } from './testing/store-simulation.ts'

const start = new Date('2026-01-15T12:00:00.000Z')
const at = (ms: number): Date => new Date(start.getTime() + ms)

let parts: TestParts
let db: Database
let tables: TransferTables

beforeAll(async () => {
  parts = await openTestParts()
  db = await parts.openDatabase({
    url: '',
    ...schemaOf('transfers'),
    connections_max: 2,
  })
  tables = openTransferStore(db, parts.bus)
  await tables.ensurePartitions(start)
})

afterAll(async () => {
  await db.close()
  await parts.stop()
})

type Call =
  | { readonly type: 'claim' | 'read' | 'requests'; readonly which: readonly number[] }
  | {
      readonly type: 'move'
      readonly which: readonly number[]
      readonly to: 'RESERVED' | 'COMMITTED'
      readonly fromReserved: boolean
      readonly fails: boolean
    }
  | { readonly type: 'takeDue'; readonly ms: number; readonly limit: number }
  | { readonly type: 'sweepAgain'; readonly which: readonly number[]; readonly ms: number }
  | {
      readonly type: 'openSince'
      readonly ms: number
      readonly due_ms: number
      readonly limit: number
    }

const numbers = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 })
const ms = fc.nat(200_000)
const limit = fc.integer({ min: 1, max: 4 })
const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom('claim', 'read', 'requests'), which: numbers }),
    fc.record({
      type: fc.constant('move' as const),
      which: numbers,
      to: fc.constantFrom('RESERVED', 'COMMITTED'),
      fromReserved: fc.boolean(),
      fails: fc.boolean(),
    }),
    fc.record({ type: fc.constant('takeDue' as const), ms, limit }),
    fc.record({ type: fc.constant('sweepAgain' as const), which: numbers, ms }),
    fc.record({ type: fc.constant('openSince' as const), ms, due_ms: ms, limit }),
  ),
  { minLength: 4, maxLength: 20 },
)

const idOf = (number: number) => `transfer-${number}`

/** They expire and are swept one after the other, not in the order of their ids. */
function transferOf(number: number): Claimed & Open {
  const expiration = at(60_000 + ((number * 7) % 6) * 10_000).toISOString()
  const id = `8d7c1a9e-5f5b-4a52-8f7d-00000000000${number}`
  return claimedBy(prepareEvent(idOf(number), { id, expiration }))
}

function committed(transfer: Claimed & Open): Claimed & Final {
  return {
    ...transfer,
    state: 'COMMITTED',
    fulfilment,
    completedTimestamp: start.toISOString(),
    outcomeEventId: '8d7c1a9e-5f5b-4a52-8f7d-3f1f0b6f6d10',
    outcomeHash: hashOf('fulfil'),
    payeeVersion: '1.1',
    extensionList: undefined,
  }
}

function changeOf(
  number: number,
  { to, fromReserved }: Extract<Call, { type: 'move' }>,
): TransferMove {
  const transfer = transferOf(number)
  return {
    transfer: to === 'RESERVED' ? { ...transfer, state: 'RESERVED' } : committed(transfer),
    fromReserved,
    windowId: undefined,
    message: undefined,
  }
}

const byId = <Value>(found: ReadonlyMap<string, Value>) =>
  [...found].toSorted(([a], [b]) => a.localeCompare(b))

/** What a call answers, in a form that can be compared. Only the sweep determines who is next. */
async function answer(store: TransferTables, call: Call): Promise<unknown> {
  switch (call.type) {
    case 'claim': {
      const claims = call.which.map((number) => ({
        transfer: transferOf(number),
        sweepAt: at(61_000 + ((number * 7) % 6) * 10_000),
        relay: relayOf(`prepare ${idOf(number)}`),
      }))
      return [...(await store.claim(claims, start))].toSorted()
    }
    case 'read':
      return byId(await store.read(call.which.map(idOf)))
    case 'requests':
      return byId(await store.requests(call.which.map(idOf)))
    case 'move': {
      const changes = call.which.map((number) => changeOf(number, call))
      const published: string[] = []
      const moving = store.move(changes, start, ({ moved }) => {
        if (call.fails) throw new Error('it cannot be published')
        published.push(...moved.keys())
        return []
      })
      const movement = await moving.catch((error: unknown) => String(error))
      if (typeof movement === 'string') return movement
      return [published.toSorted(), byId(movement.moved), byId(movement.unmoved)]
    }
    case 'takeDue': {
      const due = await store.takeDue('singles', at(call.ms), 5_000, call.limit)
      const taken = due.map(({ transferId }) => transferId).toSorted()
      // Claimed together they would be due at one time, in no order.
      const apart = taken.map((transferId, index) => ({
        transferId,
        at: at(call.ms + 5_000 + index),
      }))
      await store.sweepAgain(apart)
      return taken
    }
    case 'sweepAgain': {
      const again = call.which.map((number, index) => ({
        transferId: idOf(number),
        at: at(call.ms + index),
      }))
      return store.sweepAgain(again)
    }
    case 'openSince': {
      const open = await store.openSince('singles', at(call.ms), at(call.due_ms), call.limit)
      return open.map(({ transferId }) => transferId)
    }
  }
}

test('Any history of calls is answered alike by the tables in memory and in PostgreSQL', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (history) => {
      await db.query(statement('truncate transfers, messages'), [])
      const { store } = simulateStore()
      for (const call of history) {
        const expected = await answer(tables, call)
        expect([call, await answer(store, call)]).toEqual([call, expected])
      }
    }),
    { numRuns: 60 },
  )
}, 120_000)
