/**
 * A payee FSP that was answered 200 in time is paid, however long the hub was down afterwards: no transfer
 * times out over a message in the log that has not been processed.
 */
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
type End = DomainEvent<(typeof ends)[number]>

let parts: TestParts
let services: Service[]
let settlementModelId: number
let heard: End[]
let goOn: () => void
let held: Promise<void>

beforeEach(async () => {
  heard = []
  held = new Promise<void>((resolve) => (goOn = resolve))
  parts = await openTestParts()
  await startOthers()
  settlementModelId = await onboard(parts.grpc)
})

afterEach(async () => {
  goOn()
  await stopAll()
  await parts.stop()
})

test('A fulfil that was received in time commits although the hub was down past the expiry', async () => {
  const stopped = await startTransfers(parts)
  const earlier = await prepared(1_000)
  const answered = await prepared(3_000)
  await reserved(earlier)
  await reserved(answered)
  await stopped.stop()
  await past(earlier)
  // The edge answers 200 when this is durable.
  await fulfil(answered)
  expect(Date.now()).toBeLessThan(expiryOf(answered))
  await stopAll()
  parts = await parts.restart()
  await startOthers()
  await past(answered)

  services.push(await startTransfers(holding(parts)))
  // The sweeper is at work: it voids what nobody answered before.
  await eventually(() => endOf(earlier), 'the end of the other transfer')
  expect(endOf(earlier)).toBe('TransferFulfilComitRequestTimedout')
  expect(await outcomeOf(parts.grpc, answered.transferId)).toBe('RESERVED')
  goOn()
  await eventually(() => endOf(answered), 'the end of the transfer')
  expect(endOf(answered)).toBe('TransferCommittedFulfiled')
  expect(await outcomeOf(parts.grpc, answered.transferId)).toBe('POSTED')
})

type Request = ReturnType<typeof prepareEvent>['payload']

async function prepared(expires_ms: number): Promise<Request> {
  const { name, payload } = prepareEvent(randomUUID(), {
    expiration: inMs(expires_ms),
    receivedAt: inMs(0),
    settlementModelId,
    payerAccountId: undefined,
    payeeAccountId: undefined,
  })
  await parts.bus.publish([newEvent('settlements', name, payload)])
  return payload
}

async function reserved({ transferId }: Request): Promise<void> {
  await eventually(
    async () => (await outcomeOf(parts.grpc, transferId)) === 'RESERVED' || undefined,
    'the reservation',
  )
}

async function fulfil({ transferId }: Request): Promise<void> {
  const { name, payload } = fulfilEvent(transferId, { receivedAt: inMs(0) })
  await parts.bus.publish([newEvent('fspiop-api', name, payload)])
}

async function past(request: Request): Promise<void> {
  await eventually(() => Date.now() > expiryOf(request) || undefined, 'the expiry is past')
}

function endOf({ transferId }: Request): string | undefined {
  return heard.find(({ payload }) => payload.transferId === transferId)?.name
}

function expiryOf({ expiration }: Request): number {
  return Date.parse(expiration)
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

/** The same parts with a bus whose batches wait to be let go on. */
function holding(own: TestParts): ProcessParts {
  const { bus } = own
  return {
    ...own,
    bus: {
      ...bus,
      subscribe: (subscription) =>
        bus.subscribe({
          ...subscription,
          handleBatch: async (messages, batch) => {
            await held
            await subscription.handleBatch(messages, batch)
          },
        }),
    },
  }
}

function startTransfers(own: ProcessParts): Promise<Service> {
  return start({ ...defaultsOf(settings), EXPIRY_GRACE_MS: 0, SWEEP_INTERVAL_MS: 20 }, own)
}

async function stopAll(): Promise<void> {
  for (const service of services.toReversed()) await service.stop()
}

/** The ledger, settlements, and the consumer of the ends of transfers. */
async function startOthers(): Promise<void> {
  services = []
  services.push(await startLedger({ ...defaultsOf(ledgerSettings), EXPIRY_GRACE_MS: 0 }, parts))
  services.push(await startSettlements(defaultsOf(settlementsSettings), parts))
  await onEvents(parts.bus, 'test', ends, (events) => {
    heard.push(...events)
    return Promise.resolve()
  })
}
