/** Where services run apart, only what the edge has authenticated reserves, posts or releases money. */
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { requestMac } from '@causeway/keys/components'
import { newEvent } from '@causeway/events'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import { Outage, type Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { requestKeysService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { BulkFulfilEvent } from './bulks/contract.ts'
import type { FulfilEvent, RejectEvent } from './contract.ts'
import { start } from './service.ts'
import { settings, type TransfersSettings } from './settings.ts'
import { bulkFulfilEvent, fulfilled } from './testing/bulk-messages.ts'
import {
  fulfilEvent,
  otherFulfilment,
  prepareEvent,
  rejectEvent,
  relayOf,
  type PrepareChanges,
} from './testing/messages.ts'
import { onboard, outcomeOf } from './testing/scheme.ts'

const first = randomBytes(32)
const second = randomBytes(32)

/** As auth-service has them; `edge` is the one with which the edge makes codes. */
let keys: { readonly key: Buffer; readonly previousKey: Buffer }
let edge: Buffer
let isAway: boolean
let refusedQuestions: number

let parts: TestParts
let services: Service[]
let settlementModelId: number

beforeEach(async () => {
  keys = { key: first, previousKey: Buffer.alloc(0) }
  edge = first
  isAway = false
  refusedQuestions = 0
  parts = await openTestParts()
  services = [
    await startLedger(defaultsOf(ledgerSettings), parts),
    await startSettlements(defaultsOf(settlementsSettings), parts),
  ]
  settlementModelId = await onboard(parts.grpc)
})

afterEach(async () => {
  for (const service of services.toReversed()) await service.stop()
  await parts.stop()
})

async function startTransfers(changes: Partial<TransfersSettings> = {}): Promise<void> {
  parts.grpc.serve(requestKeysService, {
    GetRequestKey: () => {
      if (!isAway) return Promise.resolve(keys)
      refusedQuestions++
      return Promise.reject(new Outage('away', { kind: 'AWAY' }))
    },
  })
  const shared = { ...parts.shared, isSole: false }
  services.push(await start({ ...defaultsOf(settings), ...changes }, { ...parts, shared }))
}

/** What settlements publishes for a request; the code is of the request as the edge saw it. */
async function publish(sent: 'with code' | 'without code', forged: PrepareChanges = {}) {
  const now_ms = Date.now()
  const asked = {
    expiration: new Date(now_ms + 60_000).toISOString(),
    receivedAt: new Date(now_ms).toISOString(),
    settlementModelId,
    payerAccountId: undefined,
    payeeAccountId: undefined,
  }
  const { name, payload } = prepareEvent(randomUUID(), asked)
  const mac = requestMac(createSecretKey(edge), payload)
  const relay = { ...relayOf('{}'), ...(sent === 'with code' ? { mac } : {}) }
  await parts.bus.publish([newEvent('settlements', name, { ...payload, ...forged }, { relay })])
  return payload.transferId
}

const isReserved = async (id: string) => (await outcomeOf(parts.grpc, id)) === 'RESERVED'
const deadLetter = () =>
  eventually(async () => (await parts.bus.deadLetters(10))[0], 'the dead letter')

test('A request that the edge has authenticated reserves money', async () => {
  await startTransfers()
  const id = await publish('with code')
  await eventually(() => isReserved(id), 'the reservation')
  expect(await parts.bus.deadLetters(10)).toEqual([])
})

test.each([
  ['has no code', 'without code', {}],
  [
    'has another amount than the edge saw',
    'with code',
    { amount: { currency: 'USD', amount: '99' } },
  ],
  ['has another payee FSP than the edge saw', 'with code', { payeeFsp: 'mangobank' }],
] as const)(
  'A request that %s ends as a dead letter and reserves nothing, and others go on',
  async (_why, sent, forged) => {
    await startTransfers()
    const id = await publish(sent, forged)
    const other = await publish('with code')
    expect(await deadLetter()).toMatchObject({
      group: 'transfers',
      key: id,
      reason: expect.stringContaining(`the message about ${id} is not from the edge`),
    })
    await eventually(() => isReserved(other), 'the other reservation')
    expect(await outcomeOf(parts.grpc, id)).toBeUndefined()
  },
)

test('When the key was replaced, requests of edges with the new one and with the one before reserve money', async () => {
  await startTransfers()
  const before = await publish('with code')
  await eventually(() => isReserved(before), 'the reservation before')
  keys = { key: second, previousKey: first }
  const ofOldEdge = await publish('with code')
  edge = second
  const ofNewEdge = await publish('with code')
  await eventually(() => isReserved(ofOldEdge), 'the reservation with the key before')
  await eventually(() => isReserved(ofNewEdge), 'the reservation with the new key')
  expect(await parts.bus.deadLetters(10)).toEqual([])
})

test('While auth-service is away, a request with an unknown code waits and is no dead letter', async () => {
  await startTransfers()
  const before = await publish('with code')
  await eventually(() => isReserved(before), 'the reservation before')
  keys = { key: second, previousKey: first }
  edge = second
  isAway = true
  const id = await publish('with code')
  // More often than a message is tried that is at fault itself.
  await eventually(() => Promise.resolve(refusedQuestions > 3), 'its attempts')
  expect(await outcomeOf(parts.grpc, id)).toBeUndefined()
  isAway = false
  await eventually(() => isReserved(id), 'the reservation')
  expect(await parts.bus.deadLetters(10)).toEqual([])
})

type Answer = FulfilEvent | RejectEvent | BulkFulfilEvent

/** What the edge publishes for an answer; the code is of the answer as the edge saw it. */
async function answer(
  { name, payload }: Answer,
  sent: 'with code' | 'without code',
  forged: object = {},
): Promise<void> {
  const mac = requestMac(createSecretKey(edge), payload)
  const relay = { ...relayOf('{}'), ...(sent === 'with code' ? { mac } : {}) }
  const changed = { ...payload, ...forged } as typeof payload
  await parts.bus.publish([newEvent('fspiop-api', name, changed, { relay })])
}

const ofNow = () => ({ receivedAt: new Date().toISOString() })
const wrong = { fulfilment: otherFulfilment }
const answers: readonly (readonly [
  string,
  (id: string) => Answer,
  'with code' | 'without code',
  object,
])[] = [
  ['refusal', (id) => rejectEvent(id, ofNow()), 'without code', {}],
  ['fulfilment', (id) => fulfilEvent(id, ofNow()), 'without code', {}],
  ['wrong fulfilment', (id) => fulfilEvent(id, { ...ofNow(), ...wrong }), 'without code', {}],
  ['fulfilment changed to a wrong one', (id) => fulfilEvent(id, ofNow()), 'with code', wrong],
  [
    'fulfilment that is dated back',
    (id) => fulfilEvent(id, ofNow()),
    'with code',
    { receivedAt: new Date(0).toISOString() },
  ],
]

test.each(answers)(
  'A %s that the edge has not authenticated ends no reservation and holds no transfer back',
  async (_what, eventOf, sent, forged) => {
    await startTransfers()
    const id = await publish('with code')
    await eventually(() => isReserved(id), 'the reservation')
    const event = eventOf(id)
    await answer(event, sent, forged)
    expect(await deadLetter()).toMatchObject({
      key: id,
      type: event.name,
      reason: `NotFromTheEdge: the message about ${id} is not from the edge`,
    })
    expect(await outcomeOf(parts.grpc, id)).toBe('RESERVED')
    expect(await parts.metrics.metrics()).toContain('\ntransfers_held_back 0\n')
  },
)

test.each([
  ['refusal', rejectEvent, 'VOIDED'],
  ['fulfilment', fulfilEvent, 'POSTED'],
] as const)(
  'A %s that the edge has authenticated ends the reservation',
  async (_what, of, outcome) => {
    await startTransfers()
    const id = await publish('with code')
    await eventually(() => isReserved(id), 'the reservation')
    await answer(of(id, ofNow()), 'with code')
    await eventually(async () => (await outcomeOf(parts.grpc, id)) === outcome, outcome)
    expect(await parts.bus.deadLetters(10)).toEqual([])
  },
)

test.each([
  ['refuses the bulk', 'without code', { bulkTransferState: 'REJECTED' }],
  ['reports items', 'without code', { bulkTransferState: 'PROCESSING' }],
  ['has other results than the edge saw', 'with code', { individualTransferResults: [] }],
] as const)(
  'An answer to a bulk that %s and that the edge has not authenticated is a dead letter',
  async (_what, sent, forged) => {
    await startTransfers()
    const id = randomUUID()
    const sane = bulkFulfilEvent(id, fulfilled([randomUUID()]), ofNow())
    await answer(sane, sent, forged)
    expect(await deadLetter()).toMatchObject({
      group: 'transfers.bulks',
      key: id,
      reason: `NotFromTheEdge: the message about ${id} is not from the edge`,
    })
  },
)
