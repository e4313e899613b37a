import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import type { OutgoingMessage } from '@causeway/bus'
import { statement, type Database } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openDeliveryStore } from '@causeway/records'
import { claimedBy } from './contract.ts'
import type { Claimed, Final, Open } from './domain/transfer.ts'
import { openTransferStore, type TransferMove, type Claim, type TransferStore } from './store.ts'
import { fulfilment, hashOf, prepareEvent, relayOf } from './testing/messages.ts'

const now = new Date('2026-01-15T12:00:00.000Z')
const soon = new Date(now.getTime() + 61_000)

let parts: TestParts
let db: Database
let store: TransferStore

beforeAll(async () => {
  parts = await openTestParts()
  db = await parts.openDatabase({
    url: '',
    ...schemaOf('transfers'),
    connections_max: 4,
  })
  store = openTransferStore(db, parts.bus)
  await store.ensurePartitions(now)
})

afterAll(async () => {
  await db.close()
  await parts.stop()
})

describe('a claim', () => {
  test('One of two batches that hold the same new ids in any order claims them', async () => {
    for (let round = 0; round < 10; round++) {
      const ids = Array.from({ length: 20 }, () => randomUUID())
      const claims = ids.map((id) => claimOf(id))
      const [first, second] = await Promise.all([
        store.claim(claims, now),
        store.claim([...claims].reverse(), now),
      ])
      const both = [...first, ...second]
      expect(both.length).toBe(20)
      expect(new Set(both)).toEqual(new Set(ids))
    }
  })

  test('A claim is read as it was stored, with the bytes of the request', async () => {
    const id = randomUUID()
    const claim = claimOf(id)
    const { transfer } = claim
    await store.claim([claim], now)
    expect((await store.read([id, randomUUID()])).get(id)).toEqual(transfer)
    expect((await store.requests([id])).get(id)).toEqual(relayOf(`prepare ${id}`))
  })

  test('A claim stores amounts beyond any integer type, and the lack of a model', async () => {
    const id = randomUUID()
    const { transfer } = claimOf(id)
    const huge = { ...transfer, amount: 999_999_999_999_999_999_9999n, allocation: undefined }
    await store.claim([{ ...claimOf(id), transfer: huge }], now)
    expect((await store.read([id])).get(id)).toEqual(huge)
  })
})

describe('a move', () => {
  test('A move reserves a received transfer, and nothing twice', async () => {
    const transfer = await claimed()
    const first = await move([reservation(transfer)])
    expect(first.moved).toEqual(new Map([[transfer.transferId, 'RECEIVED']]))
    const second = await move([reservation(transfer)])
    expect(second.moved.size).toBe(0)
    expect(second.unmoved.get(transfer.transferId)?.state).toBe('RESERVED')
  })

  test('A move returns the state before it, and a final row never changes', async () => {
    const received = await claimed()
    const reserved = await claimed()
    await move([reservation(reserved)])
    const { moved } = await move([commit(received), commit(reserved)])
    expect(moved).toEqual(
      new Map([
        [received.transferId, 'RECEIVED'],
        [reserved.transferId, 'RESERVED'],
      ]),
    )
    const again = await move([abort(received), reservation(reserved)])
    expect(again.moved.size).toBe(0)
    expect((await store.read([received.transferId])).get(received.transferId)).toEqual(
      commit(received).transfer,
    )
  })

  test('A move leaves a reserved row alone where only a received one may move', async () => {
    const transfer = await claimed()
    await move([reservation(transfer)])
    const { moved } = await move([{ ...abort(transfer), fromReserved: false }])
    expect(moved.size).toBe(0)
  })

  test('A move returns an aborted row with its error', async () => {
    const transfer = await claimed()
    await move([abort(transfer)])
    expect((await store.read([transfer.transferId])).get(transfer.transferId)).toEqual(
      abort(transfer).transfer,
    )
  })

  test('A move is rolled back when its events cannot be announced', async () => {
    const transfer = await claimed()
    const failing = store.move([commit(transfer)], now, () => {
      throw new Error('nothing to say')
    })
    await expect(failing).rejects.toThrow('nothing to say')
    expect((await store.read([transfer.transferId])).get(transfer.transferId)?.state).toBe(
      'RECEIVED',
    )
  })

  test('Concurrent moves of the same rows happen once for each row, without deadlock', async () => {
    const transfers = await Promise.all(Array.from({ length: 20 }, () => claimed()))
    const movements = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        move((at % 2 === 0 ? transfers : [...transfers].reverse()).map(at < 4 ? commit : abort)),
      ),
    )
    const moved = movements.flatMap((movement) => [...movement.moved.keys()])
    expect(moved.length).toBe(20)
    expect(new Set(moved).size).toBe(20)
    for (const movement of movements) {
      for (const row of movement.unmoved.values()) {
        expect(['COMMITTED', 'ABORTED']).toContain(row.state)
      }
    }
  })

  test('A move stores the message that ended the transfer next to the request', async () => {
    const transfer = await claimed()
    const relay = relayOf('fulfil')
    await move([
      {
        ...commit(transfer),
        message: {
          kind: 'FULFIL',
          eventId: randomUUID(),
          receivedAt: new Date().toISOString(),
          relay,
        },
      },
    ])
    const rows = await db.query<{ kind: string; body: Buffer }>(
      statement('select kind, body from messages where transfer_id = $1 order by kind'),
      [transfer.transferId],
    )
    expect(rows.map(({ kind, body }) => [kind, String(body)])).toEqual([
      ['FULFIL', 'fulfil'],
      ['PREPARE', `prepare ${transfer.transferId}`],
    ])
  })
})

describe('the sweep', () => {
  test('A due transfer goes to one sweeper at a time, and to another when the claim has lapsed', async () => {
    const ids = (await Promise.all(Array.from({ length: 9 }, () => claimed()))).map(
      ({ transferId }) => transferId,
    )
    const taken = await Promise.all(
      Array.from({ length: 4 }, () => store.takeDue('singles', soon, 5_000, 1_000)),
    )
    const ours = taken.flat().filter(({ transferId }) => ids.includes(transferId))
    expect(ours.map(({ transferId }) => transferId).sort()).toEqual([...ids].sort())
    const before = await store.takeDue('singles', new Date(soon.getTime() + 4_999), 5_000, 1_000)
    expect(before.filter(({ transferId }) => ids.includes(transferId))).toEqual([])
    const lapsed = await store.takeDue('singles', new Date(soon.getTime() + 5_000), 5_000, 1_000)
    expect(lapsed.filter(({ transferId }) => ids.includes(transferId))).toHaveLength(9)
  })

  test('The sweep leaves out final transfers and those that are due later', async () => {
    const final = await claimed()
    const later = await claimed()
    await move([commit(final)])
    await store.sweepAgain([
      { transferId: later.transferId, at: new Date(soon.getTime() + 10_000) },
      { transferId: final.transferId, at: now },
    ])
    const ids = (await store.takeDue('singles', soon, 0, 1_000)).map(({ transferId }) => transferId)
    expect(ids).not.toContain(final.transferId)
    expect(ids).not.toContain(later.transferId)
  })

  test('The sweep measures for how long transfers have been open past their expiry', async () => {
    const transfer = await claimed()
    const long = new Date(now.getTime() + 600_000)
    const open = await store.openSince('singles', new Date(long.getTime() - 60_000), long, 1_000)
    expect(open.map(({ transferId }) => transferId)).toContain(transfer.transferId)
    expect(await store.openSince('singles', now, long, 1_000)).toEqual([])
    expect(await store.overdue_ms(long, 0)).toBe(540_000)
    expect(await store.overdue_ms(new Date(0), 5_000)).toBe(0)
  })
})

test('An overdue transfer stays overdue while a sweeper has claimed it', async () => {
  const transfer = await claimed()
  const long = new Date(now.getTime() + 600_000)
  const taken = await store.takeDue('singles', long, 5_000, 1_000)
  expect(taken.map(({ transferId }) => transferId)).toContain(transfer.transferId)
  expect(await store.overdue_ms(long, 5_000)).toBe(540_000)
})

test('A sweeper that postpones transfers waits for no row while it holds a later one', async () => {
  const ids = (await Promise.all([claimed(), claimed()])).map(({ transferId }) => transferId).sort()
  const [first = '', second = ''] = ids
  const again = [second, first].map((transferId) => ({ transferId, at: soon }))
  const lock = statement('select id from transfers where id = $1 for update')
  const waiting = statement(`
    select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update transfers t%'`)
  let putOff = Promise.resolve()
  await db.transaction(async (tx) => {
    await tx.query(lock, [first])
    putOff = store.sweepAgain(again)
    putOff.catch(() => undefined)
    await eventually(async () => (await db.query(waiting, []))[0], 'the sweeper to wait')
    await tx.query(lock, [second])
  })
  await expect(putOff).resolves.toBeUndefined()
})

test('Deliveries are stored once, however often they are reported', async () => {
  const transferId = randomUUID()
  const delivery = {
    entityId: transferId,
    notificationId: randomUUID(),
    legRole: 'PAYER',
    destinationFspId: 'mangobank',
    status: 'SUCCESS',
    httpStatus: 200,
    attempts: 1,
    duration_ms: 12,
    reportedAt: now.toISOString(),
  } as const
  const failed = {
    ...delivery,
    notificationId: randomUUID(),
    status: 'FAILED',
    lastError: 'refused',
    // Of a process whose clock is wrong.
    reportedAt: '2019-01-01T00:00:00.000Z',
  } as const
  const report = 'TransferFulfilCommittedCallbackReport'
  const deliveries = openDeliveryStore(db, 'transfer_id')
  const reported = [delivery, failed].map((one) => ({ report, delivery: one }))
  await deliveries.keep(reported, now)
  await deliveries.keep([...reported].reverse(), now)
  const rows = await db.query<{ status: string }>(
    statement('select status from deliveries where transfer_id = $1 order by status'),
    [transferId],
  )
  expect(rows.map(({ status }) => status)).toEqual(['FAILED', 'SUCCESS'])
})

test('States are read by id and page by page', async () => {
  const first = await claimed()
  const second = await claimed()
  await move([commit(first)])
  const states = await store.states([second.transferId, first.transferId, randomUUID()])
  expect(new Map(states.map(({ id, state }) => [id, state]))).toEqual(
    new Map([
      [first.transferId, 'COMMITTED'],
      [second.transferId, 'RECEIVED'],
    ]),
  )
  const ids: string[] = []
  for (let after = ''; ;) {
    const page = await store.page(after, 7)
    ids.push(...page.map(({ id }) => id))
    if (page.length < 7) break
    after = page.at(-1)?.id ?? ''
  }
  expect(ids).toEqual([...new Set(ids)].sort())
  expect(ids).toEqual(expect.arrayContaining([first.transferId, second.transferId]))
})

function claimOf(id: string): Claim {
  const event = prepareEvent(id, { expiration: new Date(now.getTime() + 60_000).toISOString() })
  return {
    transfer: claimedBy(event),
    sweepAt: soon,
    relay: event.relay,
  }
}

async function claimed(): Promise<Claimed & Open> {
  const claim = claimOf(randomUUID())
  await store.claim([claim], now)
  return claim.transfer
}

function move(changes: readonly TransferMove[], published: readonly OutgoingMessage[] = []) {
  return store.move(changes, now, () => published)
}

function change(transfer: Claimed & (Open | Final), fromReserved: boolean): TransferMove {
  return { transfer, fromReserved, windowId: undefined, message: undefined }
}

function reservation(transfer: Claimed): TransferMove {
  return change({ ...transfer, state: 'RESERVED' }, false)
}

function commit(transfer: Claimed): TransferMove {
  return change(
    {
      ...transfer,
      state: 'COMMITTED',
      fulfilment,
      completedTimestamp: '2026-01-15T12:00:01.123Z',
      outcomeEventId: '5f4a3c12-9d0c-4b1c-8a3e-1d2c3b4a5f60',
      outcomeHash: hashOf('fulfil'),
      payeeVersion: '1.1',
      extensionList: undefined,
    },
    true,
  )
}

function abort(transfer: Claimed): TransferMove {
  return change(
    {
      ...transfer,
      state: 'ABORTED',
      reason: 'REJECTED',
      error: { errorCode: '5104', errorDescription: 'Payee rejected transaction' },
      completedTimestamp: '2026-01-15T12:00:01.123Z',
      outcomeEventId: undefined,
      outcomeHash: undefined,
      payeeVersion: undefined,
      extensionList: undefined,
    },
    true,
  )
}
