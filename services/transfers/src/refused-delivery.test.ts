/** What the payee FSP's HTTP answer to POST /transfers means for the transfer, and what it never means. */
import type { OutgoingMessage } from '@causeway/bus'
import { Crash, crashAt } from '@causeway/process/testing/gated'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ConsumedEvent } from './handle.ts'
import {
  fulfilEvent,
  payee,
  payer,
  prepareEvent,
  queryEvent,
  rejectEvent,
} from './testing/messages.ts'
import { openWorld } from './testing/world.ts'

const id = 'c4ae1b04-51a3-4bd9-9a43-0c2a5c9e8d10'
type Report = Extract<ConsumedEvent, { name: 'TransferPrepareCallbackReport' }>
type Delivery = Report['payload']['reports'][number]

function report(changes: Partial<Delivery> = {}): Report {
  const delivery: Delivery = {
    notificationId: 'f0d5fbb5-3bd9-4c7e-8a16-3e0a5a4cf7a1',
    entityId: id,
    legRole: 'PAYEE',
    destinationFspId: payee,
    status: 'FAILED',
    httpStatus: 400,
    attempts: 1,
    duration_ms: 12,
    reportedAt: '2026-01-01T00:00:01.000Z',
    ...changes,
  }
  return {
    name: 'TransferPrepareCallbackReport',
    id: 'the report',
    time: '2026-01-01T00:00:01.000Z',
    payload: { reports: [delivery] },
    relay: undefined,
    traceparent: undefined,
    maybeDuplicate: false,
  }
}

async function reservedWorld(abortsRefusedDeliveries = true) {
  const world = openWorld({ abortsRefusedDeliveries })
  await world.handle(prepareEvent(id))
  return world
}

function publishedOf(messages: readonly OutgoingMessage[]): unknown {
  return messages.map(({ type, payload }) => {
    const { errorInformation, notices } = payload as {
      errorInformation?: { errorCode: string }
      notices?: readonly string[]
    }
    return [type, errorInformation?.errorCode, ...(notices ?? [])].join(' ')
  })
}

const refusal = { errorCode: '5105', errorDescription: 'Payee FSP rejected transaction' }

describe('a refusal of the payee FSP', () => {
  test.each([
    ['with its own error', { errorInformation: refusal }, '5105'],
    ['without one', {}, '3000'],
    ['of the version', { httpStatus: 406 }, '3001'],
    ['of the service', { httpStatus: 501 }, '2002'],
    ['of the path', { httpStatus: 404 }, '3000'],
  ])(
    '%s ends the transfer at once, and only the payer FSP is notified',
    async (_title, changes, code) => {
      const world = await reservedWorld()
      const published = await world.handle(report(changes))
      expect(publishedOf(published)).toEqual([`TransferRejectRequestProcessed ${code}`])
      expect(published[0]?.payload).toMatchObject({ payerFsp: payer, payeeNotice: 'NONE' })
      expect(published[0]?.headers).not.toHaveProperty('relay-body')
      expect(world.row(id)).toMatchObject({ state: 'ABORTED', reason: 'REJECTED' })
      expect(world.ledger.entries.get(id)?.outcome).toBe('VOIDED')
      const [asked] = await world.handle(queryEvent(id, payer))
      expect(asked?.payload).toMatchObject({ transferState: 'ABORTED', notices: ['PUT'] })
    },
  )

  test('A refusal counts once, however often it is reported', async () => {
    const world = await reservedWorld()
    await world.handle(report())
    expect(await world.handle(report(), report())).toEqual([])
  })

  test('A refusal is ignored where the setting is off', async () => {
    const world = await reservedWorld(false)
    expect(await world.handle(report())).toEqual([])
    expect(world.row(id)?.state).toBe('RESERVED')
  })
})

test.each<[string, Partial<Delivery>]>([
  ['a delivery that succeeded', { status: 'SUCCESS', httpStatus: 202 }],
  ['no answer', { httpStatus: undefined }],
  ['a refusal of a repetition: the first request may have been taken', { attempts: 2 }],
  ['a fault of the payee FSP', { httpStatus: 500 }],
  ['an overload of the payee FSP', { httpStatus: 503 }],
  ['a redirect', { httpStatus: 302 }],
  ['a request that came too slowly', { httpStatus: 408 }],
  ['too many requests', { httpStatus: 429 }],
  ['a report about another FSP', { destinationFspId: 'stranger' }],
  ['a report about another transfer', { entityId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' }],
])('%s changes nothing', async (_title, changes) => {
  const world = await reservedWorld()
  expect(await world.handle(report(changes))).toEqual([])
  expect(world.row(id)?.state).toBe('RESERVED')
})

describe('a payee FSP that refuses and answers nevertheless', () => {
  test('The payee FSP is paid when its fulfil comes first', async () => {
    const world = await reservedWorld()
    await world.handle(fulfilEvent(id))
    expect(await world.handle(report())).toEqual([])
    expect(world.row(id)?.state).toBe('COMMITTED')
    expect(world.ledger.entries.get(id)?.outcome).toBe('POSTED')
  })

  test('The payee FSP gets the stored outcome when its fulfil comes later', async () => {
    const world = await reservedWorld()
    await world.handle(report())
    expect(publishedOf(await world.handle(fulfilEvent(id)))).toEqual([
      'TransferQueryResponse 3100 ERROR',
    ])
    const asking = fulfilEvent(id, { transferState: 'RESERVED' })
    const published = await world.handle(asking)
    expect(publishedOf(published)).toEqual(['TransferQueryResponse 3100 ERROR PATCH'])
    expect(published[0]?.payload).toMatchObject({ transferState: 'ABORTED' })
    expect(publishedOf(await world.handle(rejectEvent(id)))).toEqual([
      'TransferQueryResponse 3100 ERROR',
    ])
    expect(world.row(id)?.state).toBe('ABORTED')
    expect(world.ledger.entries.get(id)?.outcome).toBe('VOIDED')
  })

  test('The transfer ends in one way when both come together', async () => {
    const world = await reservedWorld()
    const published = await world.handle(fulfilEvent(id), report())
    const isPaid = world.row(id)?.state === 'COMMITTED'
    expect(world.ledger.entries.get(id)?.outcome).toBe(isPaid ? 'POSTED' : 'VOIDED')
    const ends = ['TransferCommittedFulfiled', 'TransferRejectRequestProcessed']
    expect(published.filter(({ type }) => ends.includes(type))).toHaveLength(1)
  })
})

test('In any order of messages the transfer ends once, as the ledger decides', async () => {
  const steps = ['report', 'fulfil', 'reserve-fulfil', 'reject', 'expire'] as const
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...steps], { minLength: 2 }),
      fc.boolean(),
      async (order, together) => {
        const world = await reservedWorld()
        const events = order.flatMap((step): ConsumedEvent[] => {
          switch (step) {
            case 'report':
              return [report()]
            case 'fulfil':
              return [fulfilEvent(id)]
            case 'reserve-fulfil':
              return [fulfilEvent(id, { transferState: 'RESERVED' })]
            case 'reject':
              return [rejectEvent(id)]
            case 'expire':
              return []
          }
        })
        if (together) await world.handle(...events)
        else for (const event of events) await world.handle(event)
        world.time(600_000)
        await world.sweep()
        const { state } = world.row(id) ?? {}
        expect(world.ledger.entries.get(id)?.outcome).toBe(
          state === 'COMMITTED' ? 'POSTED' : 'VOIDED',
        )
        const ends = new Set([
          'TransferCommittedFulfiled',
          'TransferRejectRequestProcessed',
          'TransferFulfilComitRequestTimedout',
        ])
        expect(world.tables.published.filter(({ type }) => ends.has(type))).toHaveLength(1)
      },
    ),
  )
})

test('After a crash between the release and the move the redelivery completes the move', async () => {
  const world = await reservedWorld()
  await expect(
    world.handleThrough(crashAt('after ProcessTransferRelease'), [report()]),
  ).rejects.toThrow(Crash)
  expect(world.row(id)?.state).toBe('RESERVED')
  expect(publishedOf(await world.handle(report()))).toEqual(['TransferRejectRequestProcessed 3000'])
  expect(world.row(id)?.state).toBe('ABORTED')
})
