/**
 * Bulks on PostgreSQL against the real ledger, interrupted between any two calls and continued by any
 * other process.
 */
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { onEvents, type DomainEvent } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import { addFsp } from '@causeway/participants/testing'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { Crash, crashAt, gated, type Gate } from '@causeway/process/testing/gated'
import { ledgerService, participantsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openDeliveryStore, type FoundPage, type Place } from '@causeway/records'
import type { Transfer } from '../domain/transfer.ts'
import { handleBatch } from '../handle.ts'
import { openLedger, type LedgerCalls } from '../ledger.ts'
import { openRecordStore } from '../records/record-store.ts'
import { stateHandlers } from '../records/states.ts'
import { openTransferStore, readTransfers, type TransferStore } from '../store.ts'
import { sweep, type SweepOptions } from '../expiry/sweep.ts'
import {
  bulkFulfilEvent,
  bulkPrepareEvent,
  bulkQueryEvent,
  bulkRejectEvent,
  fulfilled,
} from '../testing/bulk-messages.ts'
import { payee, payer, prepareEvent, relayOf } from '../testing/messages.ts'
import { deposit, onboard } from '../testing/scheme.ts'
import type { AlarmKind, Deps } from '../deps.ts'
import type { BulkPrepareEvent } from './contract.ts'
import { handleBulks, type ConsumedOfBulks } from './handle.ts'
import { unquoted } from './quotes.ts'
import { openBulkRecordStore } from './record-store.ts'
import { openBulkStore, type BulkTables } from './store.ts'

const announcements = [
  'BulkTransferPrepared',
  'BulkTransferItemsEnded',
  'BulkTransferCompleted',
  'BulkTransferRejected',
  'BulkTransferQueryResponse',
  'BulkTransferPrepareRefused',
] as const

type Published = DomainEvent<(typeof announcements)[number]>

let parts: TestParts
let services: readonly Service[]
let db: Database
let store: TransferStore
let bulks: BulkTables
let calls: LedgerCalls
let participants: Calls<typeof participantsService>
let deps: Deps
let modelId: number
const heard: Published[] = []
const alarms: AlarmKind[] = []
const bounds: SweepOptions = { batch_max: 100, clock: () => Promise.resolve(new Date()) }

beforeAll(async () => {
  parts = await openTestParts()
  const ledger = await startLedger({ ...defaultsOf(ledgerSettings), EXPIRY_GRACE_MS: 0 }, parts)
  const settlements = await startSettlements(defaultsOf(settlementsSettings), parts)
  services = [settlements, ledger]
  participants = parts.grpc.client(participantsService, 'participant-lifecycle')
  calls = parts.grpc.client(ledgerService, 'participant-lifecycle')
  modelId = await onboard(parts.grpc)
  db = await parts.openDatabase({
    url: '',
    ...schemaOf('transfers'),
    connections_max: 4,
  })
  store = openTransferStore(db, parts.bus)
  bulks = openBulkStore(db, parts.bus, readTransfers)
  await store.ensurePartitions(new Date())
  deps = depsThrough(() => undefined)
  await onEvents(parts.bus, 'test', announcements, (events) => {
    heard.push(...events)
    return Promise.resolve()
  })
})

afterAll(async () => {
  const { differences } = await calls.VerifyLedger({}, { deadline_ms: 60_000 })
  await db.close()
  for (const service of services) await service.stop()
  await parts.stop()
  expect(differences).toEqual([])
})

describe('Bulk transfers:', () => {
  test('A bulk transfer is reserved, requested, paid and announced once, and all messages are stored', async () => {
    const event = prepared(3)
    const { bulkTransferId } = event.payload
    await handle(event)
    expect(await publishedOf(event)).toEqual(['BulkTransferPrepared'])
    const [asked] = await eventsOf(event)
    expect(asked?.relay).toEqual(event.relay)
    expect(await bulks.request(bulkTransferId)).toEqual(event.relay)
    await handle(paid(event))
    expect(await publishedOf(event)).toEqual([
      'BulkTransferPrepared',
      'BulkTransferItemsEnded',
      'BulkTransferCompleted',
    ])
    const bulk = await bulks.read(bulkTransferId)
    expect(bulk?.counts).toEqual({ items: 3, undecided: 0, open: 0, committed: 3 })
    expect(bulk?.transferIds).toEqual(idsOf(event))
    expect(await outcomesOf(event)).toEqual(['POSTED', 'POSTED', 'POSTED'])
  })

  test('Extensions of the payee FSP’s results are forwarded and stored', async () => {
    const event = prepared(2)
    const { bulkTransferId, payerFsp } = event.payload
    const [first = '', second = ''] = idsOf(event)
    const extensionList = (value: string) => ({ extension: [{ key: 'receipt', value }] })
    const errorInformation = { errorCode: '5104', errorDescription: 'Payee rejected transaction' }
    const results = [
      ...fulfilled([first]).map((paid) => ({ ...paid, extensionList: extensionList('ü "1"') })),
      { transferId: second, errorInformation, extensionList: extensionList('2') },
    ]
    await handle(event)
    await handle(
      bulkFulfilEvent(bulkTransferId, results, {
        destinationFspId: payerFsp,
        receivedAt: inMs(0),
      }),
    )
    await handle(bulkQueryEvent(bulkTransferId, payerFsp))
    const published = (await eventsOf(event)).flatMap(({ payload }) =>
      'individualTransferResults' in payload ? [payload.individualTransferResults] : [],
    )
    expect(published).toEqual([results, results])
  })

  test('A transfer that already has the id of an item is unchanged, and an id that occurs twice is paid once', async () => {
    const taken = randomUUID()
    await handleSingle(taken)
    const ids = [randomUUID(), taken, randomUUID()]
    const event = prepared([...ids, ids[0] ?? ''])
    await handle(event)
    const bulk = await bulks.read(event.payload.bulkTransferId)
    expect(bulk).toMatchObject({ state: 'ACCEPTED', leftOut: [1, 3] })
    await handle(paid(event))
    expect(await bulks.read(event.payload.bulkTransferId)).toMatchObject({
      state: 'COMPLETED',
      counts: { items: 4, undecided: 0, open: 0, committed: 2 },
    })
    expect((await store.read([taken])).get(taken)).toMatchObject({ state: 'RESERVED' })
  })

  test('A bulk transfer of which every id is used ends with its claim', async () => {
    const event = prepared(2)
    await handle(event)
    const again = prepared(idsOf(event))
    await handle(again)
    expect(await publishedOf(again)).toEqual(['BulkTransferRejected'])
  })

  test('A bulk transfer that the payee FSP refuses is stored with its error and its message', async () => {
    const event = prepared(2)
    const { bulkTransferId } = event.payload
    await handle(event)
    await handle(bulkRejectEvent(bulkTransferId, { receivedAt: inMs(0) }))
    expect(await bulks.read(bulkTransferId)).toMatchObject({
      state: 'REJECTED',
      lastWord: { refuses: true, error: { errorCode: '5001' }, version: '1.1' },
    })
    const kept = await db.query<{ kind: string }>(messagesOf, [bulkTransferId])
    expect(kept.map(({ kind }) => kind)).toEqual(['PREPARE', 'REJECT'])
  })

  test('A bulk transfer without an answer is ended by the sweeper, all items at once or in parts', async () => {
    const event = prepared(5, { expiration: inMs(300) })
    await handle(event)
    await eventually(() => Date.now() > Date.parse(event.payload.expiration), 'the expiry is past')
    await sweep(deps, 'items', { ...bounds, batch_max: 2 })
    expect((await publishedOf(event)).filter((name) => name !== 'BulkTransferItemsEnded')).toEqual([
      'BulkTransferPrepared',
      'BulkTransferCompleted',
    ])
    expect(await outcomesOf(event)).toEqual(['VOIDED', 'VOIDED', 'VOIDED', 'VOIDED', 'VOIDED'])
  })

  test('A query returns the state of a bulk transfer, and its results when it is final', async () => {
    const event = prepared(2)
    const { bulkTransferId } = event.payload
    await handle(event)
    await handle(bulkQueryEvent(bulkTransferId, payer))
    await handle(paid(event))
    await handle(bulkQueryEvent(bulkTransferId, payee))
    const answers = (await eventsOf(event)).filter(
      (one) => one.name === 'BulkTransferQueryResponse',
    )
    expect(answers.map(({ payload }) => payload.bulkTransferState)).toEqual([
      'ACCEPTED',
      'COMPLETED',
    ])
    expect(answers[1]?.payload.individualTransferResults).toHaveLength(2)
  })

  test('A bulk transfer with a message that is a dead letter does not expire', async () => {
    const event = prepared(2, { expiration: inMs(200) })
    const { bulkTransferId } = event.payload
    await handle(event)
    await db.query(holdStatement, [bulkTransferId])
    await eventually(() => Date.now() > Date.parse(event.payload.expiration), 'the expiry is past')
    await sweep(deps, 'items', bounds)
    expect(await outcomesOf(event)).toEqual(['RESERVED', 'RESERVED'])
    await db.query(letGoStatement, [bulkTransferId])
    await sweep(deps, 'items', bounds)
    expect(await outcomesOf(event)).toEqual(['VOIDED', 'VOIDED'])
  })
})

describe('Messages of the payee FSP before the last one:', () => {
  const bytesOf = async (event: BulkPrepareEvent) =>
    (await db.query<{ kind: string; bytes: number }>(messagesOf, [event.payload.bulkTransferId]))
      .filter(({ kind }) => kind !== 'PREPARE')
      .map(({ bytes }) => bytes)

  test('They are stored up to the bytes of a bulk, each takes effect, and the last one is always stored', async () => {
    const event = prepared(6)
    await handle(event)
    const large = { ...relayOf('part'), body: Buffer.alloc(5 * 2 ** 20) }
    const whole = paid(event)
    for (const transferId of idsOf(event).slice(0, 5)) {
      const results = fulfilled([transferId])
      const part = { individualTransferResults: results, bulkTransferState: 'PROCESSING' as const }
      const payload = { ...whole.payload, ...part }
      await handle({ ...whole, id: randomUUID(), payload, relay: large })
    }
    expect((await bulks.read(event.payload.bulkTransferId))?.counts.committed).toBe(5)
    expect(await bytesOf(event)).toEqual([large, large, large].map(({ body }) => body.length))
    await handle({ ...whole, relay: large })
    expect(await bytesOf(event)).toHaveLength(4)
    expect(await outcomesOf(event)).toEqual(idsOf(event).map(() => 'POSTED'))
  })

  test('Of the items that a message names those are found that are open and of its bulk', async () => {
    const event = prepared(3)
    const { bulkTransferId } = event.payload
    const other = prepared(1)
    await handle(event)
    await handle(other)
    const [first = '', second = '', third = ''] = idsOf(event)
    await handle(
      bulkFulfilEvent(bulkTransferId, fulfilled([second]), {
        bulkTransferState: 'PROCESSING',
        destinationFspId: payer,
        receivedAt: inMs(0),
      }),
    )
    const asked = [third, ...idsOf(other), second, first, randomUUID()]
    expect(await bulks.openItems(bulkTransferId, asked)).toEqual([third, first])
  })
})

test('A bulk transfer whose items have stored more extensions than a message may have ends', async () => {
  const event = prepared(1_000, { expiration: inMs(60_000) })
  const { bulkTransferId } = event.payload
  await handle(event)
  const [last = '', ...others] = idsOf(event)
  await handle(
    bulkFulfilEvent(bulkTransferId, fulfilled(others), {
      bulkTransferState: 'PROCESSING',
      destinationFspId: payer,
      receivedAt: inMs(0),
    }),
  )
  await db.query(extendItemsStatement, [bulkTransferId])
  await handle(
    bulkFulfilEvent(bulkTransferId, fulfilled([last]), {
      destinationFspId: payer,
      receivedAt: inMs(0),
    }),
  )
  expect(await bulks.read(bulkTransferId)).toMatchObject({ state: 'COMPLETED' })
  const end = (await eventsOf(event)).find(({ name }) => name === 'BulkTransferCompleted')
  expect(JSON.stringify(end?.payload).length).toBeLessThan(5 * 2 ** 20)
}, 120_000)

test('The items of a bulk transfer whose answer is awaited do not expire before that moment', async () => {
  const event = prepared(2, { expiration: inMs(1_000) })
  const { bulkTransferId } = event.payload
  await handle(event)
  const until = new Date(Date.now() + 60_000)
  const arrival = { bulkTransferId, payeeFsp: payee, receivedAt: inMs(0), until }
  expect(await bulks.awaitAnswer({ ...arrival, bulkTransferId: randomUUID() })).toBe('UNKNOWN')
  expect(await bulks.awaitAnswer({ ...arrival, payeeFsp: payer })).toBe('NOT_AWAITED')
  expect(await bulks.awaitAnswer({ ...arrival, receivedAt: inMs(2_000) })).toBe('NOT_AWAITED')
  expect(await bulks.awaitAnswer(arrival)).toBe('AWAITED')
  // An earlier moment does not replace it.
  expect(await bulks.awaitAnswer({ ...arrival, until: new Date(0) })).toBe('AWAITED')
  const taken = async (at: Date) => {
    const due = await store.takeDue('items', at, 0, 1_000)
    return due.filter(({ transferId }) => idsOf(event).includes(transferId)).length
  }
  const before = new Date(until.getTime() - 1)
  expect(await taken(before)).toBe(0)
  const openSince = await store.openSince('items', before, new Date(Date.now() + 600_000), 1_000)
  expect(openSince.map(({ bulkTransferId: id }) => id)).not.toContain(bulkTransferId)
  expect(await taken(until)).toBe(2)
  await handle(paid(event))
  expect(await bulks.awaitAnswer(arrival)).toBe('NOT_AWAITED')
})

test('The items of bulks and all other transfers are swept by themselves', async () => {
  const event = prepared(2)
  const single = randomUUID()
  await handle(event)
  await handleSingle(single)
  const own = new Set([...idsOf(event), single])
  const ownOf = (transfers: readonly Transfer[]) =>
    transfers.map(({ transferId }) => transferId).filter((id) => own.has(id))
  const later = new Date(Date.now() + 120_000)
  const due = new Date(Date.now() + 600_000)
  expect(ownOf(await store.openSince('singles', later, due, 1_000))).toEqual([single])
  expect(ownOf(await store.openSince('items', later, due, 1_000)).sort()).toEqual(
    [...idsOf(event)].sort(),
  )
  expect(ownOf(await store.takeDue('singles', later, 0, 1_000))).toEqual([single])
  expect(ownOf(await store.takeDue('items', later, 0, 1_000)).sort()).toEqual(
    [...idsOf(event)].sort(),
  )
})

test('A bulk transfer whose items became final without being counted is ended by the comparison', async () => {
  const event = prepared(2)
  const { bulkTransferId } = event.payload
  await handle(event)
  const later = new Date(Date.now() + 600_000)
  const say = () => []
  expect(await bulks.miscounted(later)).not.toContain(bulkTransferId)
  expect(await bulks.endMiscounted(bulkTransferId, new Date(), say)).toBe(false)
  await db.query(sweepItemsStatement, [bulkTransferId])
  expect(await bulks.miscounted(later)).toContain(bulkTransferId)
  expect(await bulks.endMiscounted(bulkTransferId, new Date(), say)).toBe(true)
  expect(await bulks.read(bulkTransferId)).toMatchObject({
    state: 'COMPLETED',
    counts: { undecided: 0, open: 0, committed: 0 },
  })
  expect(await bulks.miscounted(later)).toEqual([])
  expect(await bulks.endMiscounted(bulkTransferId, new Date(), say)).toBe(false)
})

describe('Reads of the operator:', () => {
  test('The operator sees a bulk transfer with its items in their order, and finds it by its FSPs', async () => {
    const taken = randomUUID()
    await handleSingle(taken)
    const event = prepared([randomUUID(), taken])
    const { bulkTransferId } = event.payload
    await handle(event)
    const records = openBulkRecordStore(db)
    const stored = await records.read(bulkTransferId)
    expect(stored?.items).toMatchObject([
      { transfer_id: idsOf(event)[0], state: 'RESERVED', amount: '100', is_asked: true },
      { transfer_id: taken, state: null, amount: null, is_asked: false },
    ])
    expect(stored?.messages.map(({ kind }) => kind)).toEqual(['PREPARE'])
    const search = {
      bulkQuoteId: undefined,
      states: ['ACCEPTED'],
      from: undefined,
      before: ever,
      rows_max: 200,
    }
    const found = await records.search({ ...search, fspId: payee })
    expect(found.rows).toContainEqual(expect.objectContaining({ id: bulkTransferId, items: 2 }))
    expect((await records.search({ ...search, fspId: 'stranger' })).rows).toEqual([])
    expect((await records.search({ ...search, fspId: undefined, rows_max: 1 })).rows).toHaveLength(
      1,
    )
  })

  test('The operator sees that the messages of a bulk transfer are archived', async () => {
    const event = prepared([randomUUID()])
    const { bulkTransferId } = event.payload
    await handle(event)
    const records = openBulkRecordStore(db)
    expect((await records.read(bulkTransferId))?.bulk.archived_month).toBeNull()
    await db.query(statement(`update bulk_transfers set month = '2020-03-01' where id = $1`), [
      bulkTransferId,
    ])
    expect((await records.read(bulkTransferId))?.bulk.archived_month).toBe('2020-03')
  })

  test('The operator finds the bulk transfers of a bulk quote, of both FSPs or of one', async () => {
    const bulkQuoteId = randomUUID()
    const events = [prepared(1, { bulkQuoteId }), prepared(1, { bulkQuoteId }), prepared(1)]
    for (const event of events) await handle(event)
    const records = openBulkRecordStore(db)
    const find = async (fspId: string | undefined, states: readonly string[]) => {
      const search = { bulkQuoteId, fspId, states, from: undefined, before: ever, rows_max: 10 }
      return (await records.search(search)).rows.map(({ id }) => id).toSorted()
    }
    const named = events
      .slice(0, 2)
      .map(({ payload }) => payload.bulkTransferId)
      .toSorted()
    expect(await find(undefined, [])).toEqual(named)
    expect(await find(payee, ['ACCEPTED'])).toEqual(named)
    expect(await find('stranger', [])).toEqual([])
    expect(await find(undefined, ['COMPLETED'])).toEqual([])
  })

  test('The operator finds a bulk transfer by its state behind more bulks than one page examines, and its transfer', async () => {
    const busy = 'busybank'
    await addFsp(parts.grpc, busy)
    await deposit(parts.grpc, busy, randomUUID())
    const events = Array.from({ length: 6 }, (_, n) =>
      prepared(1, { payerFsp: busy, receivedAt: inMs(n - 6) }),
    )
    for (const event of events) await handle(event)
    const [oldest] = events
    if (oldest === undefined) throw new Error('there is none')
    await handle(paid(oldest))
    const search = { bulkQuoteId: undefined, fspId: busy, from: undefined, rows_max: 10 }
    const bulksFound = await pagesOf((before) =>
      openBulkRecordStore(db, 2).search({ ...search, states: ['COMPLETED'], before }),
    )
    expect(bulksFound).toEqual([[], [], [oldest.payload.bulkTransferId], []])
    const transfersFound = await pagesOf((before) =>
      openRecordStore(db, 2).search({ ...search, states: ['COMMITTED'], before }),
    )
    expect(transfersFound).toEqual([[], [], idsOf(oldest), []])
    const onTwoPages = await pagesOf((before) =>
      openBulkRecordStore(db, 4).search({ ...search, states: [], before, rows_max: 3 }),
    )
    const newestFirst = events.map(({ payload }) => payload.bulkTransferId).toReversed()
    expect(onTwoPages).toEqual([newestFirst.slice(0, 3), newestFirst.slice(3), []])
  })

  test('The operator sees an item with its part of the messages of its bulk transfer', async () => {
    const event = prepared(2)
    const [first = '', second = ''] = idsOf(event)
    const individualTransfers = [first, second].map((transferId) => ({
      transferId,
      ilpPacket: `packet of ${transferId}`,
    }))
    const body = Buffer.from(JSON.stringify({ payerFsp: payer, individualTransfers }))
    await handle({ ...event, relay: { body } })
    const { messages = [] } = (await openRecordStore(db).read(second)) ?? {}
    expect(messages.map(({ kind }) => kind)).toEqual(['PREPARE'])
    const { GetTransferPacket } = stateHandlers(store)
    expect(await GetTransferPacket({ id: second }, undefined as never)).toEqual({
      ilpPacket: `packet of ${second}`,
    })
  })

  test('A bulk transfer whose counts differ from its items is reported to the operator', async () => {
    const taken = randomUUID()
    await handleSingle(taken)
    // One of three is decided without being committed, so that one more can be counted.
    const event = prepared([randomUUID(), randomUUID(), taken])
    const { bulkTransferId } = event.payload
    await handle(event)
    const records = openBulkRecordStore(db)
    expect((await records.verify()).differing).toEqual([])
    await db.query(miscountStatement, [bulkTransferId, 1])
    const { compared, differing } = await records.verify()
    expect(compared).toBeGreaterThan(1)
    expect(differing).toMatchObject([
      {
        id: bulkTransferId,
        counted: '0 undecided, 2 open, 1 committed',
        found: '0 undecided, 2 open, 0 committed',
      },
    ])
    await db.query(miscountStatement, [bulkTransferId, 0])
  })
})

describe('Crashes:', () => {
  /** Every call of the steps, before it had its effect and after it. */
  const places = [
    'before claim',
    'after claim',
    'before ProcessTransferPrepare',
    'after ProcessTransferPrepare',
    'before move',
    'after move',
    'before accept',
    'after accept',
  ]
  test.each(places)(
    'After a crash %s the redelivery completes the bulk transfer',
    async (place) => {
      const event = prepared(250)
      await expect(handleThrough(crashAt(place), event)).rejects.toThrow(Crash)
      await handle(event)
      await handle(paid(event))
      await expectOneEnd(event, 250)
    },
  )

  test.each([
    'before take',
    'after take',
    'before ProcessTransferFulfil',
    'after ProcessTransferFulfil',
    'before move',
    'after move',
  ])('After a crash %s the redelivery completes the answer', async (place) => {
    const event = prepared(250)
    await handle(event)
    const answer = paid(event)
    await expect(handleThrough(crashAt(place), answer)).rejects.toThrow(Crash)
    await handle(answer)
    await expectOneEnd(event, 250)
  })

  test('After a crash in the second slice the first one stays reserved and the redelivery continues', async () => {
    const event = prepared(250)
    let slices = 0
    const inSecond: Gate = (at) => {
      if (at === 'before move' && ++slices === 2) throw new Crash(at)
    }
    await expect(handleThrough(inSecond, event)).rejects.toThrow(Crash)
    expect(await bulks.read(event.payload.bulkTransferId)).toMatchObject({
      state: 'PENDING',
      counts: { undecided: 200, open: 250 },
    })
    expect((await outcomesOf(event)).filter((outcome) => outcome === 'RESERVED')).toHaveLength(100)
    await handle(event)
    await handle(paid(event))
    await expectOneEnd(event, 250)
  })

  test('Two processes that work on the same bulk transfer at the same time pay each item once', async () => {
    const event = prepared(300)
    await Promise.all([handle(event), handle(event), handle({ ...event, id: randomUUID() })])
    const answer = paid(event)
    await Promise.all([handle(answer), handle(answer), sweep(deps, 'items', bounds)])
    await expectOneEnd(event, 300)
  })
})

describe('Cover:', () => {
  test('With cover for 5,000 of 20,000 items in 20 concurrent bulk transfers exactly 5,000 are reserved', async () => {
    const poor = 'poorbank'
    await addFsp(parts.grpc, poor)
    await deposit(parts.grpc, poor, randomUUID())
    // 10,000 are deposited.
    const amount = { amount: '2', currency: 'USD' }
    const events = Array.from({ length: 20 }, () => {
      const ids = Array.from({ length: 1_000 }, () => randomUUID())
      const event = prepared(ids)
      const { individualTransfers } = event.payload
      const payload = {
        ...event.payload,
        payerFsp: poor,
        individualTransfers: individualTransfers.map((item) => ({ ...item, amount })),
      }
      return { ...event, payload }
    })
    await Promise.all(events.map((event) => handle(event)))
    const reserved: number[] = []
    for (const event of events) {
      const outcomes = await outcomesOf(event)
      const count = outcomes.filter((outcome) => outcome === 'RESERVED').length
      // Equal items are decided in their order, so the first ones are those that fit.
      expect(outcomes.slice(0, count).every((outcome) => outcome === 'RESERVED')).toBe(true)
      reserved.push(count)
    }
    expect(reserved.reduce((sum, count) => sum + count, 0)).toBe(5_000)
    const { balances } = await participants.RequestAccountsPositions({
      name: poor,
      currency: 'USD',
    })
    const position = balances?.accounts.find((one) => one.ledgerAccountType === 'POSITION')
    expect(position?.value).toBe('10000')
  }, 240_000)
})

const messagesOf = statement(`
  select kind, octet_length(body) as bytes from bulk_messages where bulk_id = $1 order by received_at, kind desc`)
const holdStatement = statement(`
  insert into held_back (transfer_id, letter_id, event, reason) values ($1, 'letter', 'E', 'r')`)
/** More than all of them together may be. */
const extendItemsStatement = statement(`
  update transfers set extension_list = (
    select jsonb_build_object('extension', jsonb_agg(jsonb_build_object('key', 'k', 'value', repeat('v', 700))))
    from generate_series(1, 16))::text
  where bulk_id = $1 and state = 'COMMITTED'`)
const sweepItemsStatement = statement(`
  update transfers set state = 'ABORTED', sweep_at = null, reason = 'TIMEOUT', completed_at = now(),
    error = '{"errorCode":"3303","errorDescription":"Transfer expired"}', completed_timestamp = now()
  where bulk_id = $1`)
const miscountStatement = statement(`
  update bulk_transfers set committed_count = $2::integer, open_count = 2 where id = $1`)
const ever = { at: new Date('9999-01-01'), id: '' }
const letGoStatement = statement(`delete from held_back where transfer_id = $1`)

/** The ids on each page, to the last one. */
async function pagesOf(
  page: (before: Place) => Promise<FoundPage<{ readonly id: string }>>,
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = []
  for (let before: Place | undefined = ever; before !== undefined;) {
    const { rows, next }: FoundPage<{ readonly id: string }> = await page(before)
    pages.push(rows.map(({ id }) => id))
    before = next
  }
  return pages
}

function prepared(
  items: number | readonly string[],
  changes: Partial<BulkPrepareEvent['payload']> = {},
): BulkPrepareEvent {
  const ids = typeof items === 'number' ? Array.from({ length: items }, () => randomUUID()) : items
  const event = bulkPrepareEvent(randomUUID(), ids)
  const { individualTransfers } = event.payload
  const amount = { amount: '0.01', currency: 'USD' }
  const payload = {
    ...event.payload,
    expiration: inMs(60_000),
    receivedAt: inMs(0),
    individualTransfers: individualTransfers.map((item) => ({ ...item, amount })),
    allocations: [
      {
        currency: 'USD',
        settlementModelId: modelId,
        settlementModel: 'DEFERREDNET',
        settles: 'NET' as const,
      },
    ],
    ...changes,
  }
  return { ...event, payload }
}

function paid(event: BulkPrepareEvent) {
  const { bulkTransferId, payerFsp } = event.payload
  const results = fulfilled(idsOf(event))
  return bulkFulfilEvent(bulkTransferId, results, {
    destinationFspId: payerFsp,
    receivedAt: inMs(0),
  })
}

function idsOf({ payload }: BulkPrepareEvent): readonly string[] {
  return payload.individualTransfers.map(({ transferId }) => transferId)
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

const giveWay = () => Promise.resolve()

function handle(event: ConsumedOfBulks): Promise<void> {
  return handleBulks({ ...deps, giveWay }, openDeliveryStore(db, 'transfer_id'), [event])
}

function handleThrough(gate: Gate, event: ConsumedOfBulks): Promise<void> {
  return handleBulks({ ...depsThrough(gate), giveWay }, openDeliveryStore(db, 'transfer_id'), [
    event,
  ])
}

async function handleSingle(transferId: string): Promise<void> {
  const event = prepareEvent(transferId, {
    expiration: inMs(60_000),
    receivedAt: inMs(0),
    settlementModelId: modelId,
    payerAccountId: undefined,
    payeeAccountId: undefined,
  })
  await handleBatch(deps, openDeliveryStore(db, 'transfer_id'), [event])
}

/** Every item is paid, in the ledger too, and the bulk was announced as prepared and as completed once. */
async function expectOneEnd(event: BulkPrepareEvent, count: number): Promise<void> {
  const outcomes = await outcomesOf(event)
  expect(outcomes.filter((outcome) => outcome === 'POSTED')).toHaveLength(count)
  const published = await eventsOf(event)
  const names = published
    .map(({ name }) => name)
    .filter((name) => name !== 'BulkTransferItemsEnded')
  expect(names).toEqual(['BulkTransferPrepared', 'BulkTransferCompleted'])
  const ended = published.flatMap((one) =>
    one.name === 'BulkTransferItemsEnded' ? one.payload.items : [],
  )
  expect(ended.map(({ transferId }) => transferId).sort()).toEqual([...idsOf(event)].sort())
  expect(await bulks.read(event.payload.bulkTransferId)).toMatchObject({
    state: 'COMPLETED',
    counts: { items: count, undecided: 0, open: 0, committed: count },
  })
}

async function outcomesOf(event: BulkPrepareEvent): Promise<readonly string[]> {
  const ids = idsOf(event)
  const { entries } = await calls.GetLedgerEntries({ ids: [...ids] })
  const outcomes = new Map(entries.map(({ id, outcome }) => [id, outcome]))
  return ids.map((id) => outcomes.get(id) ?? 'NONE')
}

/** All that was announced before now has been heard. */
async function eventsOf(event: BulkPrepareEvent): Promise<readonly Published[]> {
  const mark = bulkQueryEvent(randomUUID(), payer)
  await handle(mark)
  await eventually(
    () => heard.some(({ payload }) => payload.bulkTransferId === mark.payload.bulkTransferId),
    'what was announced is heard',
  )
  const { bulkTransferId } = event.payload
  return heard.filter(({ payload }) => payload.bulkTransferId === bulkTransferId)
}

async function publishedOf(event: BulkPrepareEvent): Promise<readonly string[]> {
  return (await eventsOf(event)).map(({ name }) => name)
}

function depsThrough(gate: Gate): Deps {
  const { signal } = new AbortController()
  return {
    store: gated(store, gate),
    bulks: gated(bulks, gate),
    bulkQuotes: unquoted,
    ledger: openLedger(gated(calls, gate), { log: parts.log, signal }),
    alarm: (kind) => alarms.push(kind),
    now: () => new Date(),
    expiryGrace_ms: 0,
    payeeRules: { misdirectedAborts: false },
    compatibility: 'specification',
    abortsRefusedDeliveries: false,
    rejectedBulksKept_ms: 3_600_000,
  }
}
