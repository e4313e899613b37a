import { randomUUID } from 'node:crypto'
import { derivedId, newEvent, onEvents, type DomainEvent, type Payload } from '@causeway/events'
import type { Calls, Handlers } from '@causeway/grpc'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import {
  participantsService,
  settlementModelsService,
  type Participant,
  type ModelCreation,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings as definitions, type SettlementsSettings } from './settings.ts'

const settings: SettlementsSettings = defaultsOf(definitions)

const deferredNet: ModelCreation = {
  name: 'DEFERREDNET',
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  autoPositionReset: true,
}

const published = ['TransferPrepareAccountsAllocated', 'TransferQueryPassedOn'] as const

type Allocated = DomainEvent<(typeof published)[number]>

/** A substitute for participant-lifecycle. */
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
  await onEvents(parts.bus, 'test', published, (events) => {
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
  test('A model is created with its defaults and read by name and by currency', async () => {
    const { model } = await createModel()
    expect(model).toMatchObject({
      ...deferredNet,
      id: expect.any(Number) as unknown,
      settlementAccountType: 'SETTLEMENT',
    })
    await createModel({ name: 'CGS', currency: 'EUR' })
    expect(await namesOf({})).toEqual(['DEFERREDNET', 'CGS'])
    expect(await namesOf({ currency: 'EUR' })).toEqual(['CGS'])
    expect(await namesOf({ name: 'DEFERREDNET' })).toEqual(['DEFERREDNET'])
    expect(await namesOf({ name: 'NONE' })).toEqual([])
  })

  test('A model is returned with every value that it was created with', async () => {
    const created = {
      name: 'CGS',
      granularity: 'GROSS',
      interchange: 'BILATERAL',
      delay: 'IMMEDIATE',
      currency: 'EUR',
      requireLiquidityCheck: false,
      ledgerAccountType: 'INTERCHANGE_FEE',
      settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
      autoPositionReset: false,
    } as const
    const { model } = await createModel(created)
    expect(model).toMatchObject({ ...created, id: 1, isActive: true })
  })

  test('The name of a model is unique, and an invalid model is not stored', async () => {
    await createModel()
    expect(await createModel({ currency: 'EUR' })).toMatchObject({
      refusal: { reason: 'MODEL_EXISTS' },
    })
    expect(await createModel({ name: 'OTHER', delay: 'IMMEDIATE' })).toMatchObject({
      refusal: { reason: 'MODEL_INVALID' },
    })
    expect(await namesOf({})).toEqual(['DEFERREDNET'])
  })

  test('The accounts of a model are opened before its creation is answered', async () => {
    await createModel()
    expect(peer.opened).toEqual(['USD POSITION SETTLEMENT'])
  })

  test('A model without currency opens no accounts', async () => {
    await createModel({ currency: undefined })
    expect(peer.opened).toEqual([])
  })

  test('The accounts of a model are opened after a crash, if participant-lifecycle had not answered', async () => {
    peer.answers = false
    const { model } = await createModel()
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
  test('Allocation publishes the request with model and accounts, its relay unchanged', async () => {
    peer.participants.push(participant('mangobank', 11), participant('riverwallet', 12))
    const { model } = await createModel()
    const request = requested()
    const body = Buffer.from('{ "transferId" : "…" }')
    const headers = Buffer.from('{"date":"today"}')
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const event = newEvent('fspiop-api', 'TransferPrepareRequested', request, {
      relay: { body, headers },
      traceparent,
    })
    // The same event twice makes the same event twice.
    await parts.bus.publish([event, event])
    const [first, second] = await allocations(request.transferId, 2)
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

  test('Allocation leaves out a missing model, and uses a new one at once', async () => {
    expect(await allocation()).not.toHaveProperty('settlementModelId')
    await createModel({ name: 'DEFAULT', currency: undefined })
    expect(await allocation()).toMatchObject({ settlementModel: 'DEFAULT' })
    const gross = { granularity: 'GROSS', interchange: 'BILATERAL', delay: 'IMMEDIATE' } as const
    await createModel({ name: 'CGS', ...gross })
    expect(await allocation()).toMatchObject({ settlementModel: 'CGS', settles: 'GROSS_IMMEDIATE' })
  })

  test('Allocation requests accounts once, and again when one is missing or was added', async () => {
    await createModel()
    peer.participants.push(participant('mangobank', 11))
    const without = await allocation()
    expect(without).toMatchObject({ payerAccountId: 11 })
    expect(without).not.toHaveProperty('payeeAccountId')
    peer.participants.push(participant('riverwallet', 12))
    expect(await allocation()).toMatchObject({ payeeAccountId: 12 })
    const { asked } = peer
    await allocation()
    expect(peer.asked).toBe(asked)
  })

  test('A query waits for the request before it, however long that takes', async () => {
    await createModel()
    peer.answers = false
    const request = requested()
    const { transferId } = request
    const payload = { transferId, requesterFspId: 'mangobank', version: '1.1' }
    const question = newEvent('fspiop-api', 'TransferQueryReceived', payload)
    await parts.bus.publish([newEvent('fspiop-api', 'TransferPrepareRequested', request)])
    await eventually(() => peer.asked > 0 || undefined, 'the accounts being asked for')
    await parts.bus.publish([question, question])
    const went = await allocations(transferId, 3)
    expect(went.map(({ name }) => name)).toEqual([published[0], published[1], published[1]])
    expect(went[1]?.payload).toEqual(payload)
    expect(went.slice(1).map(({ id }) => id)).toEqual([
      derivedId(question.id, published[1]),
      derivedId(question.id, published[1]),
    ])
  })

  test.each([
    ['does not answer', { answers: false }],
    ['fails by a mistake of its own', { fails: true }],
  ])(
    'Allocation continues without accounts when participant-lifecycle %s',
    async (_how, silent) => {
      await createModel()
      Object.assign(peer, silent)
      const payload = await allocation()
      expect(payload).toMatchObject({ settlementModel: 'DEFERREDNET' })
      expect(payload).not.toHaveProperty('payerAccountId')
    },
  )
})

function createModel(changes: Partial<ModelCreation> = {}) {
  return models.CreateSettlementModel({ ...deferredNet, ...changes })
}

async function namesOf(query: { readonly currency?: string; readonly name?: string }) {
  const found = await models.GetSettlementModels(query)
  return found.models.map(({ name }) => name)
}

function handlersOf(peer: Peer): Handlers<typeof participantsService> {
  const answer = <T>(value: T): Promise<T> => {
    peer.asked++
    // A call without an answer is ended by its deadline.
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
    stateName: 'ACTIVE',
    type: 'DFSP',
    accounts: [
      account(accountId + 100, 'SETTLEMENT', 'USD'),
      account(accountId, 'POSITION', 'USD'),
      account(accountId + 200, 'POSITION', 'EUR'),
    ],
    endpoints: [],
  }
}

function requested(): Payload<'TransferPrepareRequested'> {
  return {
    transferId: randomUUID(),
    payerFsp: 'mangobank',
    payeeFsp: 'riverwallet',
    amount: { amount: '999999999999999999.9999', currency: 'USD' },
    expiration: '2026-01-01T00:01:00.000Z',
    condition: 'condition',
    payloadHash: 'hash',
    receivedAt: '2026-01-01T00:00:00.000Z',
    version: '1.1',
  }
}

/** What a new request becomes. */
async function allocation(): Promise<Allocated['payload'] | undefined> {
  const request = requested()
  await parts.bus.publish([newEvent('fspiop-api', 'TransferPrepareRequested', request)])
  return (await allocations(request.transferId, 1))[0]?.payload
}

function allocations(transferId: string, count: number): Promise<readonly Allocated[]> {
  return eventually(() => {
    const found = allocated.filter(({ payload }) => payload.transferId === transferId)
    return found.length >= count ? found : undefined
  }, `${count} allocations`)
}
