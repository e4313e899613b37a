/**
 * The steps of transfers on PostgreSQL, against the real ledger over gRPC, stopped between any two of
 * them and continued by the next process.
 */
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { newEvent, onEvents, type DomainEvent, type EventName } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { Crash, crashAt, gated, type Gate } from '@causeway/process/testing/gated'
import { ledgerService, participantsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openDeliveryStore } from '@causeway/records'
import { unquoted } from './bulks/quotes.ts'
import { openBulkStore } from './bulks/store.ts'
import { decide, post, replyToPayee } from './fulfil.ts'
import { handleBatch, type ConsumedEvent } from './handle.ts'
import { openLedger, type LedgerCalls } from './ledger.ts'
import { move } from './move.ts'
import { claim, prepare, reserve, replyToPayer } from './prepare.ts'
import { start } from './service.ts'
import { settings } from './settings.ts'
import { openTransferStore, readTransfers, type TransferStore } from './store.ts'
import { heal, sweep, type SweepOptions } from './expiry/sweep.ts'
import {
  fulfilEvent,
  fulfilment,
  hashOf,
  payee,
  payer,
  prepareEvent,
  queryEvent,
  rejectEvent,
  type FulfilChanges,
  type PrepareChanges,
} from './testing/messages.ts'
import { deposit, onboard } from './testing/scheme.ts'
import type { AlarmKind, Deps } from './deps.ts'

const announcements = [
  'TransferPrepared',
  'TransferCommittedFulfiled',
  'TransferRejectRequestProcessed',
  'TransferQueryResponse',
  'TransferPrepareRequestTimedout',
  'TransferFulfilComitRequestTimedout',
  'TransferPrepareDuplicateCheckFailed',
  'TransferPrepareLiquidityCheckFailed',
  'TransferPrepareInvalidPayerCheckFailed',
  'TransferPrepareInvalidPayeeCheckFailed',
] as const satisfies readonly EventName[]

type Published = DomainEvent<(typeof announcements)[number]>

let parts: TestParts
let services: readonly Service[]
let db: Database
let store: TransferStore
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

describe('a prepare that stopped', () => {
  test('A prepare that stopped after the claim continues when it is delivered again', async () => {
    const event = prepared()
    await claim(deps, [event])
    expect(await stateOf(event)).toBe('RECEIVED, unknown to the ledger')
    await prepare(deps, [event])
    expect(await publishedOf(event)).toEqual(['TransferPrepared'])
    expect(await stateOf(event)).toBe('RESERVED, RESERVED')
  })

  test('A prepare that stopped after the claim continues when the payer posts it again', async () => {
    const event = prepared()
    await claim(deps, [event])
    await prepare(deps, [{ ...event, id: randomUUID() }])
    expect(await publishedOf(event)).toEqual(['TransferPrepared'])
  })

  test('A prepare that stopped after the claim continues when the payee answers, and the payee still gets the request', async () => {
    const event = prepared()
    await claim(deps, [event])
    await handle(fulfilled(event))
    expect(await publishedOf(event)).toEqual(['TransferPrepared', 'TransferCommittedFulfiled'])
    const [first] = await eventsOf(event)
    expect(first?.relay).toEqual(event.relay)
  })

  test('A prepare that stopped after the claim is voided by the sweeper when no message follows', async () => {
    const event = prepared({ expiration: inMs(200) })
    await claim(deps, [event])
    await pastExpiry(event)
    await sweep(deps, 'singles', bounds)
    expect(await publishedOf(event)).toEqual(['TransferPrepareRequestTimedout'])
    // A reserve that was under way meanwhile meets the void.
    await prepare(deps, [event])
    expect(await publishedOf(event)).toEqual(['TransferPrepareRequestTimedout'])
    expect(await stateOf(event)).toBe('ABORTED, VOIDED')
  })

  test('A prepare that stopped between reserve and RESERVED reserves nothing twice', async () => {
    const event = prepared({ amount: { amount: '100', currency: 'USD' } })
    const before = await positionOf(payer)
    const { toReserve } = await claim(deps, [event])
    await reserve(deps, toReserve)
    expect(await stateOf(event)).toBe('RECEIVED, RESERVED')
    await prepare(deps, [event])
    await prepare(deps, [event])
    expect(await publishedOf(event)).toEqual(['TransferPrepared'])
    expect((await positionOf(payer)) - before).toBe(100)
    await handle(rejectEvent(idOf(event), { receivedAt: inMs(0) }))
    expect(await positionOf(payer)).toBe(before)
  })

  test('A prepare that stopped after reserve is swept as a transfer that the payee never received', async () => {
    const event = prepared({ expiration: inMs(300) })
    const { toReserve } = await claim(deps, [event])
    await reserve(deps, toReserve)
    await pastExpiry(event)
    await sweep(deps, 'singles', bounds)
    expect(await publishedOf(event)).toEqual(['TransferPrepareRequestTimedout'])
    expect(await stateOf(event)).toBe('ABORTED, VOIDED')
  })

  test('A prepare that its void overtakes between reserve and RESERVED is not announced as prepared', async () => {
    const event = prepared({ expiration: inMs(300) })
    const { toReserve } = await claim(deps, [event])
    const reserved = await reserve(deps, toReserve)
    expect(reserved[0]?.answer.outcome).toBe('RESERVED')
    await pastExpiry(event)
    await sweep(deps, 'singles', bounds)
    await move(deps, reserved, { reply: replyToPayer })
    expect(await publishedOf(event)).toEqual(['TransferPrepareRequestTimedout'])
    expect(await stateOf(event)).toBe('ABORTED, VOIDED')
  })

  test('A prepare whose commit lost its answer is announced once', async () => {
    const event = prepared()
    await expect(through(crashAt('after move'), event)).rejects.toThrow(Crash)
    await handle(event)
    expect(await publishedOf(event)).toEqual(['TransferPrepared'])
  })

  test('A prepare that was refused is refused for the same reason by the process that continues it', async () => {
    const event = prepared({ amount: { amount: '99999', currency: 'USD' } })
    const { toReserve } = await claim(deps, [event])
    await reserve(deps, toReserve)
    await sweepNow(event)
    expect(await publishedOf(event)).toEqual(['TransferPrepareLiquidityCheckFailed'])
    await handle(event)
    expect(await publishedOf(event)).toEqual(['TransferPrepareLiquidityCheckFailed'])
    expect(await stateOf(event)).toBe('ABORTED, REFUSED')
  })
})

describe('a fulfil that stopped', () => {
  test('A fulfil that stopped between post and COMMITTED is announced as committed, past the expiry, too', async () => {
    const event = prepared({ expiration: inMs(400) })
    await handle(event)
    const fulfil = fulfilled(event)
    const { toEnd } = await decide(deps, [fulfil])
    await post(deps, toEnd)
    expect(await stateOf(event)).toBe('RESERVED, POSTED')
    await pastExpiry(event)
    await handle(fulfil)
    expect(await publishedOf(event)).toEqual(['TransferPrepared', 'TransferCommittedFulfiled'])
    const [, committed] = await eventsOf(event)
    expect(committed?.relay).toEqual(fulfil.relay)
    expect(await stateOf(event)).toBe('COMMITTED, POSTED')
  })

  test('A fulfil that stopped after post is announced once, by the sweeper, from the evidence', async () => {
    const event = prepared({ expiration: inMs(400) })
    await handle(event)
    const fulfil = fulfilled(event, { completedTimestamp: '2026-01-01T00:00:01.5+01:00' })
    const { toEnd } = await decide(deps, [fulfil])
    const posted = await post(deps, toEnd)
    await pastExpiry(event)
    await sweep(deps, 'singles', bounds)
    await handle(fulfil)
    await move(deps, posted, { reply: replyToPayee(deps) })
    const [, committed] = await eventsOf(event)
    expect(await publishedOf(event)).toEqual(['TransferPrepared', 'TransferCommittedFulfiled'])
    expect(committed?.relay).toBeUndefined()
    expect(committed?.payload).toMatchObject({
      fulfilment,
      completedTimestamp: '2026-01-01T00:00:01.5+01:00',
      payerVersion: '1.1',
      payeeVersion: '1.1',
    })
  })

  test('A fulfil received in time that stopped before post commits at any later time', async () => {
    const event = prepared({ expiration: inMs(400) })
    await handle(event)
    const fulfil = fulfilled(event)
    await pastExpiry(event)
    await handle(fulfil)
    expect(await publishedOf(event)).toEqual(['TransferPrepared', 'TransferCommittedFulfiled'])
  })

  test('A fulfil that loses against the sweeper is answered with 3303', async () => {
    const event = prepared({ expiration: inMs(200) })
    await handle(event)
    const fulfil = fulfilled(event, { transferState: 'RESERVED' })
    const { toEnd } = await decide(deps, [fulfil])
    await pastExpiry(event)
    await sweep(deps, 'singles', bounds)
    await move(deps, await post(deps, toEnd), { reply: replyToPayee(deps) })
    expect(await publishedOf(event)).toEqual([
      'TransferPrepared',
      'TransferFulfilComitRequestTimedout',
      'TransferQueryResponse',
    ])
    const answer = (await eventsOf(event))[2]
    expect(answer?.payload).toMatchObject({
      notices: ['ERROR', 'PATCH'],
      transferState: 'ABORTED',
      errorInformation: { errorCode: '3303' },
    })
  })

  test('A fulfil that loses against another one is answered with 3106, and the winner is announced', async () => {
    const event = prepared()
    await handle(event)
    const first = fulfilled(event)
    const second = fulfilled(event, { payloadHash: hashOf('second') })
    const { toEnd } = await decide(deps, [first])
    await post(deps, toEnd)
    await handle(second)
    expect(await publishedOf(event)).toEqual([
      'TransferPrepared',
      'TransferCommittedFulfiled',
      'TransferQueryResponse',
    ])
    const [, committed, answer] = await eventsOf(event)
    expect(committed?.relay).toBeUndefined()
    expect(answer?.payload).toMatchObject({ errorInformation: { errorCode: '3106' } })
    await handle(first)
    expect((await publishedOf(event)).length).toBe(3)
  })

  test('A fulfil that loses against a reject is answered with 3106', async () => {
    const event = prepared()
    await handle(event)
    const reject = rejectEvent(idOf(event), { receivedAt: inMs(0) })
    const { toEnd } = await decide(deps, [reject])
    await post(deps, toEnd)
    await handle(fulfilled(event))
    expect(await publishedOf(event)).toEqual([
      'TransferPrepared',
      'TransferRejectRequestProcessed',
      'TransferQueryResponse',
    ])
    expect(await stateOf(event)).toBe('ABORTED, VOIDED')
  })

  test('A reject that stopped is announced by the sweeper with the error of the payee', async () => {
    const event = prepared({ expiration: inMs(400) })
    await handle(event)
    const reject = rejectEvent(idOf(event), { receivedAt: inMs(0) })
    const { toEnd } = await decide(deps, [reject])
    await post(deps, toEnd)
    await pastExpiry(event)
    await sweep(deps, 'singles', bounds)
    const [, rejected] = await eventsOf(event)
    expect(rejected?.relay).toBeUndefined()
    expect(rejected?.payload).toMatchObject({
      payeeNotice: 'NONE',
      errorInformation: { errorCode: '5104', errorDescription: 'Payee rejected transaction' },
    })
    await handle(reject)
    expect(await publishedOf(event)).toEqual(['TransferPrepared', 'TransferRejectRequestProcessed'])
  })
})

test('A batch delivered again in any split publishes nothing new', async () => {
  const events = Array.from({ length: 6 }, () => prepared())
  const answers = events.map((event, at) =>
    at % 2 === 0 ? fulfilled(event) : rejectEvent(idOf(event), { receivedAt: inMs(0) }),
  )
  const all: ConsumedEvent[] = [...events, ...answers]
  await handleAll(all)
  const published = await Promise.all(events.map(publishedOf))
  expect(published.every((types) => types.length === 2)).toBe(true)
  for (let size = 1; size <= all.length; size++) {
    for (let from = 0; from < all.length; from += size) {
      await handleAll(all.slice(from, from + size))
    }
  }
  expect(await Promise.all(events.map(publishedOf))).toEqual(published)
})

test('The same new id in two concurrent batches reserves once', async () => {
  const before = await positionOf(payer)
  const events = Array.from({ length: 10 }, () => prepared())
  await Promise.all([handleAll(events), handleAll([...events].reverse())])
  for (const event of events) expect(await publishedOf(event)).toEqual(['TransferPrepared'])
  expect((await positionOf(payer)) - before).toBe(125)
  await handleAll(events.map((event) => rejectEvent(idOf(event), { receivedAt: inMs(0) })))
  expect(await positionOf(payer)).toBe(before)
})

test('A reservation of the ledger that transfers lost is voided a minute later, with an alarm', async () => {
  const event = prepared({ expiration: inMs(100) })
  await handle(event)
  await db.query(statement('delete from transfers where id = $1'), [idOf(event)])
  await pastExpiry(event)
  const later = { ...deps, ledger: overdueNow(deps.ledger) }
  const inAMinute = () => Promise.resolve(new Date(Date.now() + 60_000))
  await heal(later, { ...bounds, clock: inAMinute })
  expect(alarms).toContain('RESERVATION_UNKNOWN')
  const { entries } = await calls.GetLedgerEntries({ ids: [idOf(event)] })
  expect(entries).toMatchObject([{ outcome: 'VOIDED', reason: 'TIMEOUT' }])
})

test.each(['9999-12-31T23:59:59.999Z', '+010000-01-01T04:59:59.999Z'])(
  'A request that expires at the end of all years that can be written (%s) is reserved',
  async (expiration) => {
    const event = prepared({ expiration })
    await handleBatch({ ...deps, expiryGrace_ms: 1_000 }, openDeliveryStore(db, 'transfer_id'), [
      event,
    ])
    expect(await publishedOf(event)).toEqual(['TransferPrepared'])
    await handle(fulfilled(event))
    expect(await stateOf(event)).toBe('COMMITTED, POSTED')
  },
)

test('GET answers for a deposit from the ledger', async () => {
  const id = randomUUID()
  await deposit(parts.grpc, payer, id)
  await handle(queryEvent(id, payer), queryEvent(id, payee))
  await eventually(() => published(id).length === 2 || undefined, 'two answers')
  expect(published(id).map(({ payload }) => payload)).toMatchObject([
    { transferState: 'COMMITTED', notices: ['PUT'] },
    { errorInformation: { errorCode: '3000' } },
  ])
})

test('The service consumes its events from the bus, and the sweeper runs by itself', async () => {
  const service = await start(
    {
      ...defaultsOf(settings),
      EXPIRY_GRACE_MS: 0,
      SWEEP_INTERVAL_MS: 20,
    },
    parts,
  )
  const request = requestOf(prepared())
  const expiring = requestOf(prepared({ expiration: inMs(500) }))
  await parts.bus.publish(
    [request, expiring].map((payload) =>
      newEvent('fspiop-api', 'TransferPrepareRequested', payload, {
        relay: { body: Buffer.from(`prepare ${payload.transferId}`) },
      }),
    ),
  )
  await eventually(
    () => published(request.transferId).length === 1 || undefined,
    'the payee FSP is asked',
  )
  expect(published(request.transferId)[0]?.payload).toMatchObject({ settlementModelId: modelId })
  const fulfil = fulfilEvent(request.transferId, { receivedAt: inMs(0) })
  await parts.bus.publish([newEvent('fspiop-api', fulfil.name, fulfil.payload)])
  const committed = () => published(request.transferId)[1]?.name === 'TransferCommittedFulfiled'
  await eventually(() => committed() || undefined, 'the transfer commits')
  const expired = () =>
    published(expiring.transferId)[1]?.name === 'TransferFulfilComitRequestTimedout'
  await eventually(() => expired() || undefined, 'the other one expires')
  await service.stop()
})

function prepared(changes: PrepareChanges = {}) {
  return prepareEvent(randomUUID(), {
    expiration: inMs(60_000),
    receivedAt: inMs(0),
    settlementModelId: modelId,
    payerAccountId: undefined,
    payeeAccountId: undefined,
    ...changes,
  })
}

type Prepared = ReturnType<typeof prepared>

function fulfilled(event: Prepared, changes: FulfilChanges = {}) {
  return fulfilEvent(idOf(event), { receivedAt: inMs(0), ...changes })
}

/** What the edge sends: the request before its allocation. */
function requestOf({ payload }: Prepared) {
  const { transferId, payerFsp, payeeFsp, amount, expiration, condition } = payload
  const { payloadHash, receivedAt, version } = payload
  const terms = { transferId, payerFsp, payeeFsp, amount, expiration, condition }
  return { ...terms, payloadHash, receivedAt, version }
}

function idOf({ payload }: { readonly payload: { readonly transferId: string } }): string {
  return payload.transferId
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

async function pastExpiry({ payload }: Prepared): Promise<void> {
  const expiry = Date.parse(payload.expiration)
  await eventually(() => Date.now() > expiry || undefined, 'the expiry is past')
}

/** As if its time had come for the sweeper. */
async function sweepNow(event: Prepared): Promise<void> {
  await store.sweepAgain([{ transferId: idOf(event), at: new Date() }])
  await sweep(deps, 'singles', bounds)
}

function depsThrough(gate: Gate): Deps {
  const { signal } = new AbortController()
  return {
    store: gated(store, gate),
    bulks: gated(openBulkStore(db, parts.bus, readTransfers), gate),
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

/** A ledger for which a minute has passed since every expiry. */
function overdueNow(ledger: Deps['ledger']): Deps['ledger'] {
  return { ...ledger, overdueReservations: (_ms, limit) => ledger.overdueReservations(0, limit) }
}

function handleAll(events: readonly ConsumedEvent[]): Promise<void> {
  return handleBatch(deps, openDeliveryStore(db, 'transfer_id'), events)
}

function handle(...events: readonly ConsumedEvent[]): Promise<void> {
  return handleAll(events)
}

function through(gate: Gate, event: Prepared): Promise<void> {
  return prepare(depsThrough(gate), [event])
}

/** The state here and in the ledger. */
async function stateOf(event: Prepared): Promise<string> {
  const id = idOf(event)
  const { entries } = await calls.GetLedgerEntries({ ids: [id] })
  const [entry] = entries
  const row = (await store.read([id])).get(id)
  return `${row?.state ?? 'unknown'}, ${entry?.outcome ?? 'unknown to the ledger'}`
}

/** All that was published of it: what was published before the marker has arrived when the marker has. */
async function eventsOf(event: Prepared): Promise<readonly Published[]> {
  const marker = randomUUID()
  await parts.bus.publish([
    newEvent('transfers', 'TransferQueryResponse', {
      transferId: marker,
      requesterFspId: payer,
      legRole: 'REQUESTER',
      version: '1.1',
      notices: [],
    }),
  ])
  await eventually(() => published(marker)[0], 'the marker')
  return published(idOf(event))
}

async function publishedOf(event: Prepared): Promise<readonly string[]> {
  return (await eventsOf(event)).map(({ name }) => name)
}

function published(transferId: string): readonly Published[] {
  return heard.filter(({ payload }) => payload.transferId === transferId)
}

async function positionOf(name: string): Promise<number> {
  const { balances } = await participants.RequestAccountsPositions({ name, currency: 'USD' })
  const account = balances?.accounts.find((one) => one.ledgerAccountType === 'POSITION')
  return Number(account?.value)
}
