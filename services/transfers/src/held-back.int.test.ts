/** A payee FSP's message that became a dead letter holds its transfer back from its expiry. */
import { randomUUID } from 'node:crypto'
import { newEvent, onEvents, type DomainEvent } from '@causeway/events'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import type { ProcessParts } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings } from './settings.ts'
import { fulfilEvent, prepareEvent } from './testing/messages.ts'
import { onboard, outcomeOf } from './testing/scheme.ts'

const ends = ['TransferCommittedFulfiled', 'TransferFulfilComitRequestTimedout'] as const
const given = 'TransferFulfilCommittedRequested'

let parts: TestParts
let services: Service[]
let settlementModelId: number
let isBroken: boolean
let heard: DomainEvent<(typeof ends)[number]>[]

beforeEach(async () => {
  isBroken = true
  heard = []
  parts = await openTestParts()
  services = [
    await startLedger({ ...defaultsOf(ledgerSettings), EXPIRY_GRACE_MS: 0 }, parts),
    await startSettlements(defaultsOf(settlementsSettings), parts),
  ]
  settlementModelId = await onboard(parts.grpc)
  const sweeping = { EXPIRY_GRACE_MS: 0, SWEEP_INTERVAL_MS: 20, TRANSFERS_HEAL_INTERVAL_MS: 50 }
  services.push(await start({ ...defaultsOf(settings), ...sweeping }, breaking(parts)))
  await onEvents(parts.bus, 'test', ends, (events) => Promise.resolve(void heard.push(...events)))
})

afterEach(async () => {
  for (const service of services.toReversed()) await service.stop()
  await parts.stop()
})

test('A transfer whose fulfil is a dead letter does not expire, and commits when it is replayed', async () => {
  const { held, letter } = await expiredWithDeadLetter()
  expect(await outcomeOf(parts.grpc, held)).toBe('RESERVED')
  expect(await valueOf('transfers_held_back')).toBe(1)
  expect(await valueOf('transfers_alarms_total')).toBeGreaterThan(0)
  isBroken = false
  expect(await parts.bus.replay('transfers', letter)).toBe(true)
  await eventually(() => endOf(held), 'the end of the transfer')
  expect(endOf(held)).toBe('TransferCommittedFulfiled')
  expect(await outcomeOf(parts.grpc, held)).toBe('POSTED')
  await eventually(async () => (await valueOf('transfers_held_back')) === 0, 'nothing is held back')
})

test('A transfer whose fulfil is a dead letter expires once the operator discards it', async () => {
  const { held, letter } = await expiredWithDeadLetter()
  expect(await parts.bus.discard('transfers', letter)).toBe('DISCARDED')
  await eventually(() => endOf(held), 'the end of the transfer')
  expect(endOf(held)).toBe('TransferFulfilComitRequestTimedout')
  expect(await valueOf('transfers_held_back')).toBe(0)
})

/** One transfer with a fulfil that was given up, and another without any that has expired since. */
async function expiredWithDeadLetter() {
  const [held, other] = [await reserved(4_000), await reserved(4_001)]
  const { name, payload } = fulfilEvent(held, { receivedAt: inMs(0) })
  await parts.bus.publish([newEvent('fspiop-api', name, payload)])
  const letter = await eventually(async () => {
    const [found] = await parts.bus.deadLetters(1)
    return found?.id
  }, 'the dead letter')
  await eventually(() => endOf(other), 'the end of the other transfer')
  expect([endOf(other), endOf(held)]).toEqual(['TransferFulfilComitRequestTimedout', undefined])
  return { held, letter }
}

async function reserved(expires_ms: number): Promise<string> {
  const { name, payload } = prepareEvent(randomUUID(), {
    expiration: inMs(expires_ms),
    receivedAt: inMs(0),
    settlementModelId,
    payerAccountId: undefined,
    payeeAccountId: undefined,
  })
  await parts.bus.publish([newEvent('settlements', name, payload)])
  const { transferId } = payload
  const isReserved = async () => (await outcomeOf(parts.grpc, transferId)) === 'RESERVED'
  await eventually(isReserved, 'the reservation')
  return transferId
}

function endOf(transferId: string): string | undefined {
  return heard.find(({ payload }) => payload.transferId === transferId)?.name
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

async function valueOf(metric: string): Promise<number> {
  const { values = [] } = (await parts.metrics.getSingleMetric(metric)?.get()) ?? {}
  return values.reduce((sum, { value }) => sum + value, 0)
}

/** The same parts with a bus on which no fulfil can be worked on while it is broken. */
function breaking(own: TestParts): ProcessParts {
  const { bus } = own
  return {
    ...own,
    bus: {
      ...bus,
      subscribe: (subscription) =>
        bus.subscribe({
          ...subscription,
          async handleBatch(messages, batch) {
            if (isBroken && messages.some(({ type }) => type === given)) throw new Error('a bug')
            await subscription.handleBatch(messages, batch)
          },
        }),
    },
  }
}
