import { derivedId, newEvent, onEvents, type DomainEvent, type Payload } from '@causeway/events'
import {
  participantsService,
  settlementModelsService,
  type Participant,
  type SettlementModel,
} from '@causeway/protos'
import type { Calls, Handlers, Service } from '@causeway/runtime'
import { eventually, openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { start } from './service.ts'
import type { Settings } from './settings.ts'

const settings: Settings = {
  SETTLEMENTS_DATABASE_URL: '',
  SETTLEMENTS_CONNECTIONS_MAX: 4,
  SETTLEMENTS_BATCH_MAX: 100,
  SETTLEMENTS_BATCHES_IN_FLIGHT_MAX: 2,
}

const deferredNet: SettlementModel = {
  id: 0,
  name: 'DEFERREDNET',
  isActive: true,
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  settlementAccountType: '',
  autoPositionReset: true,
}

type Allocated = DomainEvent<'TransferPrepareAccountsAllocated'>

/** A peer in the place of participant-lifecycle. */
interface Peer {
  readonly participants: Participant[]
  readonly opened: string[]
  asked: number
  /** Whether it answers at all. */
  answers: boolean
  /** Whether it answers with a failure of its own, which is no outage. */
  fails: boolean
}

let parts: TestParts
let service: Service
let peer: Peer
let models: Calls<typeof settlementModelsService>
let allocated: Allocated[]

async function open(fresh: TestParts): Promise<void> {
  parts = fresh
  parts.grpc.serve(participantsService, handlersOf(peer))
  service = await start(settings, parts)
  models = parts.grpc.client(settlementModelsService, 'settlements')
  await onEvents(parts.bus, 'test', ['TransferPrepareAccountsAllocated'], (events) => {
    allocated.push(...events)
    return Promise.resolve()
  })
}

beforeEach(async () => {
  peer = { participants: [], opened: [], asked: 0, answers: true, fails: false }
  allocated = []
  await open(await openTestParts())
})

afterEach(async () => {
  await service.stop()
  await parts.stop()
})

describe('a settlement model', () => {
  test('is created with its defaults and read by name and by currency', async () => {
    const { model } = await models.CreateSettlementModel(deferredNet)
    expect(model).toEqual({
      ...deferredNet,
      id: expect.any(Number) as unknown,
      settlementAccountType: 'SETTLEMENT',
    })
    await models.CreateSettlementModel({ ...deferredNet, name: 'CGS', currency: 'EUR' })
    const namesOf = async (query: { currency: string; name: string }) =>
      (await models.GetSettlementModels(query)).models.map(({ name }) => name)
    expect(await namesOf({ currency: '', name: '' })).toEqual(['DEFERREDNET', 'CGS'])
    expect(await namesOf({ currency: 'EUR', name: '' })).toEqual(['CGS'])
    expect(await namesOf({ currency: '', name: 'DEFERREDNET' })).toEqual(['DEFERREDNET'])
    expect(await namesOf({ currency: '', name: 'NONE' })).toEqual([])
  })

  test('keeps its name to itself, and an illegal one is not stored', async () => {
    await models.CreateSettlementModel(deferredNet)
    const again = await models.CreateSettlementModel({ ...deferredNet, currency: 'EUR' })
    expect(again).toMatchObject({ refusal: { reason: 'MODEL_EXISTS' } })
    const illegal = { ...deferredNet, name: 'OTHER', delay: 'IMMEDIATE' }
    expect(await models.CreateSettlementModel(illegal)).toMatchObject({
      refusal: { reason: 'MODEL_INVALID' },
    })
    expect((await models.GetSettlementModels({ currency: '', name: '' })).models).toHaveLength(1)
  })

  test('has its accounts opened before its creator is answered', async () => {
    await models.CreateSettlementModel(deferredNet)
    expect(peer.opened).toEqual(['USD POSITION SETTLEMENT'])
  })

  test('without currency opens no accounts', async () => {
    await models.CreateSettlementModel({ ...deferredNet, currency: '' })
    expect(peer.opened).toEqual([])
  })

  test('has its accounts opened after a crash, if nobody answered before', async () => {
    peer.answers = false
    const { model } = await models.CreateSettlementModel(deferredNet)
    expect(model?.name).toBe('DEFERREDNET')
    expect(peer.asked).toBeGreaterThan(0)
    await service.stop()
    peer.answers = true
    await open(await parts.restart())
    await eventually(() => peer.opened.length > 0 || undefined, 'accounts opened')
    expect(peer.opened).toEqual(['USD POSITION SETTLEMENT'])
  })
})

describe('allocation', () => {
  test('passes the request on with model and accounts, its relay untouched', async () => {
    peer.participants.push(participant('mangobank', 11), participant('riverwallet', 12))
    const { model } = await models.CreateSettlementModel(deferredNet)
    const request = requested({ payerFsp: 'mangobank', payeeFsp: 'riverwallet' })
    const body = Buffer.from('{ "transferId" : "…" }')
    const headers = Buffer.from('{"date":"today"}')
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const event = newEvent('fspiop-api', 'TransferPrepareRequested', request, {
      relay: { body, headers },
      traceparent,
    })
    // The same event twice makes the same event twice.
    await parts.bus.publish([event, event])
    const [first, second] = await allocations(2)
    expect(first?.payload).toEqual({
      ...request,
      settlementModelId: model?.id,
      settlementModel: 'DEFERREDNET',
      settles: 'NET',
      payerAccountId: 11,
      payeeAccountId: 12,
    })
    expect(first?.relay).toEqual({ body, headers })
    expect(first?.traceparent).toBe(traceparent)
    expect(first?.id).toBe(derivedId(event.id, 'TransferPrepareAccountsAllocated'))
    expect(second?.id).toBe(first?.id)
  })

  test('without a model says so by leaving it out, and knows one as soon as there is one', async () => {
    await send(requested({}))
    const [without] = await allocations(1)
    expect(without?.payload).not.toHaveProperty('settlementModelId')
    await models.CreateSettlementModel({ ...deferredNet, name: 'DEFAULT', currency: '' })
    await send(requested({}))
    expect((await allocations(2))[1]?.payload.settlementModel).toBe('DEFAULT')
    await models.CreateSettlementModel({
      ...deferredNet,
      name: 'CGS',
      granularity: 'GROSS',
      interchange: 'BILATERAL',
      delay: 'IMMEDIATE',
    })
    await send(requested({}))
    expect((await allocations(3))[2]?.payload).toMatchObject({
      settlementModel: 'CGS',
      settles: 'GROSS_IMMEDIATE',
    })
  })

  test('asks for accounts once, and again when one is missing or was added', async () => {
    await models.CreateSettlementModel(deferredNet)
    peer.participants.push(participant('mangobank', 11))
    await send(requested({}))
    const [without] = await allocations(1)
    expect(without?.payload.payerAccountId).toBe(11)
    expect(without?.payload).not.toHaveProperty('payeeAccountId')
    peer.participants.push(participant('riverwallet', 12))
    await send(requested({}))
    expect((await allocations(2))[1]?.payload.payeeAccountId).toBe(12)
    const { asked } = peer
    await send(requested({}))
    await allocations(3)
    expect(peer.asked).toBe(asked)
  })

  test('goes on without accounts when participant-lifecycle does not answer', async () => {
    await models.CreateSettlementModel(deferredNet)
    peer.answers = false
    await send(requested({}))
    const [event] = await allocations(1)
    expect(event?.payload.settlementModel).toBe('DEFERREDNET')
    expect(event?.payload).not.toHaveProperty('payerAccountId')
  })

  test('goes on without accounts when participant-lifecycle fails by a mistake of its own', async () => {
    await models.CreateSettlementModel(deferredNet)
    peer.fails = true
    await send(requested({}))
    const [event] = await allocations(1)
    expect(event?.payload.settlementModel).toBe('DEFERREDNET')
    expect(event?.payload).not.toHaveProperty('payerAccountId')
  })
})

function handlersOf(peer: Peer): Handlers<typeof participantsService> {
  const answer = <T>(value: T): Promise<T> => {
    peer.asked++
    // What nobody answers is cut off by its deadline.
    return peer.answers ? Promise.resolve(value) : new Promise<T>(() => undefined)
  }
  const unused = () => Promise.reject(new Error('settlements does not call this'))
  return {
    GetParticipantInfo: ({ names }) =>
      peer.fails
        ? Promise.reject(new Error('a mistake of its own'))
        : answer({ participants: peer.participants.filter(({ name }) => names.includes(name)) }),
    AddModelAccounts: async ({ currency, ledgerAccountType, settlementAccountType }) => {
      await answer(undefined)
      peer.opened.push(`${currency} ${ledgerAccountType} ${settlementAccountType}`)
      return { refusal: null }
    },
    CreateParticipant: unused,
    UpdateParticipantState: unused,
    CreateHubAccount: unused,
    SetInitialPositionAndLimits: unused,
    UpdateParticipantAccountLimit: unused,
    UpdateAccountStatus: unused,
    UpdateEndpoint: unused,
    RequestAccountsPositions: unused,
    ManageFundsCreditDebitPairInstruction: unused,
  }
}

function participant(name: string, accountId: number): Participant {
  const account = (id: number, ledgerAccountType: string, currency: string) => ({
    id,
    ledgerAccountType,
    currency,
    isActive: true,
    createdAt: '',
    createdBy: '',
    limit: null,
  })
  return {
    id: accountId,
    name,
    isActive: true,
    isHub: false,
    createdAt: '',
    createdBy: '',
    version: 1,
    accounts: [
      account(accountId + 100, 'SETTLEMENT', 'USD'),
      account(accountId, 'POSITION', 'USD'),
      account(accountId + 200, 'POSITION', 'EUR'),
    ],
    endpoints: [],
  }
}

function requested(
  changes: Partial<Payload<'TransferPrepareRequested'>>,
): Payload<'TransferPrepareRequested'> {
  return {
    transferId: randomUUID(),
    payerFsp: 'mangobank',
    payeeFsp: 'riverwallet',
    amount: { amount: '10', currency: 'USD' },
    expiration: '2026-01-01T00:01:00.000Z',
    condition: 'condition',
    payloadHash: 'hash',
    receivedAt: '2026-01-01T00:00:00.000Z',
    version: '1.1',
    ...changes,
  }
}

function send(request: Payload<'TransferPrepareRequested'>): Promise<void> {
  return parts.bus.publish([newEvent('fspiop-api', 'TransferPrepareRequested', request)])
}

function allocations(count: number): Promise<readonly Allocated[]> {
  return eventually(
    () => (allocated.length >= count ? allocated : undefined),
    `${count} allocations`,
  )
}
