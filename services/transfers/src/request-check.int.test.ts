/** Where services run apart, only what the edge has authenticated reserves money. */
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { requestMac } from '@causeway/component-keys'
import { newEvent } from '@causeway/events'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { requestKeysService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings, type Settings } from './settings.ts'
import { prepareEvent, relayOf, type PrepareChanges } from './testing/messages.ts'
import { onboard, outcomeOf } from './testing/scheme.ts'

const key = randomBytes(32)

let parts: TestParts
let services: Service[]
let settlementModelId: number
let requiredFrom: Date

beforeEach(async () => {
  requiredFrom = new Date(0)
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

async function startTransfers(changes: Partial<Settings> = {}): Promise<void> {
  parts.grpc.serve(requestKeysService, {
    GetRequestKey: () => Promise.resolve({ key, requiredFrom: requiredFrom.toISOString() }),
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
    payerAccountId: 0,
    payeeAccountId: 0,
  }
  const { name, payload } = prepareEvent(randomUUID(), asked)
  const mac = requestMac(createSecretKey(key), payload)
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
      reason: expect.stringContaining(`the request ${id} is not from the edge`),
    })
    await eventually(() => isReserved(other), 'the other reservation')
    expect(await outcomeOf(parts.grpc, id)).toBeUndefined()
  },
)

test('Before the time from which codes are required, a request of an earlier release without one is worked on', async () => {
  requiredFrom = new Date(Date.now() + 3_600_000)
  await startTransfers()
  const id = await publish('without code')
  await eventually(() => isReserved(id), 'the reservation')
})

test('Where the operator accepts requests without a code they reserve money, which is reported', async () => {
  await startTransfers({ TRANSFERS_UNAUTHENTICATED_REQUESTS: 'accepted' })
  const id = await publish('without code')
  await eventually(() => isReserved(id), 'the reservation')
  expect(await parts.metrics.metrics()).toContain(
    'insecure_modes{service="transfers",mode="TRANSFERS_UNAUTHENTICATED_REQUESTS=accepted"} 1',
  )
})
