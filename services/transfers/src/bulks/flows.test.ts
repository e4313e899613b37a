/** Bulk transfers from event to event, as FSPs see them. */
import type { OutgoingMessage } from '@causeway/bus'
import { catalogue } from '@causeway/events'
import type { ReserveRefusal } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import {
  bulkFulfilEvent,
  bulkPrepareEvent,
  bulkQueryEvent,
  bulkRejectEvent,
  fulfilled,
} from '../testing/bulk-messages.ts'
import {
  fulfilEvent,
  fulfilment,
  otherFulfilment,
  payee,
  payer,
  prepareEvent,
} from '../testing/messages.ts'
import type { ConsumedOfBulks } from './handle.ts'
import { openWorld, typesOf, type WorldOptions } from '../testing/world.ts'

const bulk = 'bulk-1'
const ids = ['transfer-1', 'transfer-2', 'transfer-3']
const [first = '', second = '', third = ''] = ids
const rejection = { errorCode: '5104', errorDescription: 'Payee rejected transaction' }

function extensions(value: string) {
  return { extension: [{ key: 'note', value }] }
}

/** What a consumer will read: the payload must pass its schema. */
function payloadOf(message: OutgoingMessage | undefined): Readonly<Record<string, unknown>> {
  const schema = catalogue[message?.type as keyof typeof catalogue].schema
  return schema.parse(JSON.parse(JSON.stringify(message?.payload)))
}

function the(type: string, messages: readonly OutgoingMessage[]): OutgoingMessage {
  const found = messages.filter((message) => message.type === type)
  expect([type, found.length]).toEqual([type, 1])
  return found[0] as OutgoingMessage
}

/** `<id> <fulfilment or code>`, item by item. */
function resultsIn(message: OutgoingMessage | undefined): readonly string[] {
  const { individualTransferResults } = payloadOf(message) as {
    individualTransferResults: readonly {
      transferId: string
      fulfilment?: string
      errorInformation?: { errorCode: string }
    }[]
  }
  return individualTransferResults.map(
    ({ transferId, fulfilment: paid, errorInformation }) =>
      `${transferId} ${paid === undefined ? errorInformation?.errorCode : 'paid'}`,
  )
}

function errorIn(message: OutgoingMessage | undefined): string {
  const { errorInformation } = payloadOf(message) as { errorInformation: { errorCode: string } }
  return errorInformation.errorCode
}

async function acceptedWorld(options?: WorldOptions) {
  const world = openWorld(options)
  await world.handleBulks(bulkPrepareEvent(bulk, ids))
  return world
}

describe('Bulk transfers:', () => {
  test('A bulk transfer of which every item is reserved is announced with the bytes of the request', async () => {
    const world = openWorld()
    const event = bulkPrepareEvent(bulk, ids)
    const published = await world.handleBulks(event)
    expect(typesOf(published)).toEqual(['BulkTransferPrepared'])
    expect(payloadOf(published[0])).toMatchObject({
      bulkTransferId: bulk,
      payeeFsp: payee,
      leftOut: [],
    })
    expect(published[0]?.headers['relay-body']).toEqual(event.relay?.body)
    expect(ids.map((id) => world.row(id)?.state)).toEqual(['RESERVED', 'RESERVED', 'RESERVED'])
    expect(world.bulk(bulk)?.state).toBe('ACCEPTED')
  })

  test('With cover for two of three equal items exactly the first two are reserved', async () => {
    const world = openWorld({ covers: new Map([[payer, 200_000n]]) })
    const published = await world.handleBulks(bulkPrepareEvent(bulk, ids))
    expect(payloadOf(the('BulkTransferPrepared', published))).toMatchObject({ leftOut: [2] })
    expect(ids.map((id) => world.row(id)?.state)).toEqual(['RESERVED', 'RESERVED', 'ABORTED'])
  })

  test('An item that exceeds the cover is refused, and smaller ones after it are reserved', async () => {
    const world = openWorld({ covers: new Map([[payer, 200_000n]]) })
    const amounts = ['15', '10', '5']
    const { individualTransfers } = bulkPrepareEvent(bulk, ids).payload
    const published = await world.handleBulks(
      bulkPrepareEvent(bulk, ids, {
        individualTransfers: individualTransfers.map((item, at) => ({
          ...item,
          amount: { amount: amounts[at] ?? '', currency: 'USD' },
        })),
      }),
    )
    expect(payloadOf(the('BulkTransferPrepared', published))).toMatchObject({ leftOut: [1] })
  })

  test('A bulk transfer of which nothing can be reserved is rejected with an error for each item', async () => {
    const world = openWorld({ covers: new Map([[payer, 0n]]) })
    const published = await world.handleBulks(bulkPrepareEvent(bulk, ids))
    const rejected = the('BulkTransferRejected', published)
    expect(resultsIn(rejected)).toEqual([`${first} 4001`, `${second} 4001`, `${third} 4001`])
    expect(payloadOf(rejected)['payee']).toBeUndefined()
    expect(typesOf(published)).not.toContain('BulkTransferPrepared')
  })

  test.each<[ReserveRefusal, string]>([
    ['PAYER_INACTIVE', '3202'],
    ['PAYER_UNKNOWN', '3202'],
    ['PAYEE_INACTIVE', '3203'],
    ['PAYEE_UNKNOWN', '3203'],
    ['PAYEE_UNREACHABLE', '3201'],
  ])(
    'A bulk transfer that the ledger refuses as a whole for %s is answered with %s',
    async (reason, code) => {
      const world = openWorld({ refusals: new Map([[payer, reason]]) })
      const published = await world.handleBulks(bulkPrepareEvent(bulk, ids))
      expect(errorIn(the('BulkTransferRejected', published))).toBe(code)
      const answer = the(
        'BulkTransferQueryResponse',
        await world.handleBulks(bulkQueryEvent(bulk, payer)),
      )
      expect(payloadOf(answer)).toMatchObject({ bulkTransferState: 'REJECTED' })
    },
  )

  test('A bulk transfer that has already expired is answered with 3303', async () => {
    const world = openWorld()
    const expiration = '2025-12-31T00:00:00.000Z'
    const published = await world.handleBulks(bulkPrepareEvent(bulk, ids, { expiration }))
    expect(errorIn(the('BulkTransferRejected', published))).toBe('3303')
  })

  test('An item with the id of a single transfer is refused, and that transfer is unchanged', async () => {
    const world = openWorld()
    await world.handle(prepareEvent(second))
    const before = world.row(second)
    const published = await world.handleBulks(bulkPrepareEvent(bulk, ids))
    expect(payloadOf(the('BulkTransferPrepared', published))).toMatchObject({ leftOut: [1] })
    const ended = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    expect(resultsIn(the('BulkTransferCompleted', ended))).toEqual([
      `${first} paid`,
      `${second} 3106`,
      `${third} paid`,
    ])
    expect(world.row(second)).toEqual(before)
  })

  test('An id that occurs twice is paid once, and its second item is refused', async () => {
    const world = openWorld()
    const published = await world.handleBulks(bulkPrepareEvent(bulk, [first, second, first]))
    expect(payloadOf(the('BulkTransferPrepared', published))).toMatchObject({ leftOut: [2] })
    const ended = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled([first, second])))
    const completed = the('BulkTransferCompleted', ended)
    expect(resultsIn(completed)).toEqual([`${first} paid`, `${second} paid`, `${first} 3106`])
  })

  test('A bulk transfer of which every id is used ends at once', async () => {
    const world = openWorld()
    await world.handle(prepareEvent(first), prepareEvent(second))
    const published = await world.handleBulks(bulkPrepareEvent(bulk, [first, second]))
    expect(typesOf(published)).toEqual(['BulkTransferRejected'])
    expect(resultsIn(published[0])).toEqual([`${first} 3106`, `${second} 3106`])
  })

  test.each([
    ['an unknown', 'QUOTE_UNKNOWN', '3209'],
    ['an expired', 'QUOTE_EXPIRED', '3302'],
  ] as const)(
    'A bulk transfer with %s bulk quote is refused, also when repeated, and claims no item',
    async (_what, quoteRefusal, code) => {
      const world = openWorld({ quoteRefusal })
      const event = bulkPrepareEvent(bulk, ids)
      const published = await world.handleBulks(event)
      expect(typesOf(published)).toEqual(['BulkTransferRejected'])
      expect(errorIn(published[0])).toBe(code)
      expect(ids.map((id) => world.row(id))).toEqual([undefined, undefined, undefined])
      expect(await world.handleBulks(event)).toEqual([])
      const shown = await world.handleBulks(bulkQueryEvent(bulk, payer))
      expect(payloadOf(shown[0])).toMatchObject({ bulkTransferState: 'REJECTED' })
      expect(resultsIn(shown[0])).toEqual(ids.map((id) => `${id} ${code}`))
    },
  )

  test('A bulk transfer without a settlement model for its currency is rejected item by item', async () => {
    const world = openWorld()
    const published = await world.handleBulks(bulkPrepareEvent(bulk, ids, { allocations: [] }))
    expect(resultsIn(the('BulkTransferRejected', published))).toEqual(ids.map((id) => `${id} 3100`))
  })
})

describe('Repeated requests:', () => {
  test('A repeated request has no answer while the bulk transfer is in flight', async () => {
    const world = await acceptedWorld()
    expect(await world.handleBulks(bulkPrepareEvent(bulk, ids))).toEqual([])
  })

  test('A repeated request is answered with the results once the bulk transfer is final', async () => {
    const world = await acceptedWorld()
    await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    const published = await world.handleBulks(bulkPrepareEvent(bulk, ids))
    expect(typesOf(published)).toEqual(['BulkTransferQueryResponse'])
    expect(payloadOf(published[0])).toMatchObject({
      legRole: 'PAYER',
      bulkTransferState: 'COMPLETED',
    })
    expect(resultsIn(published[0])).toEqual(ids.map((id) => `${id} paid`))
  })

  test.each<[ReserveRefusal, string, string]>([
    ['PAYER_INACTIVE', '3202', `Payer FSP ID not found - Participant ${payer} is inactive`],
    ['PAYEE_INACTIVE', '3203', `Payee FSP ID not found - Participant ${payee} is inactive`],
    ['PAYEE_UNKNOWN', '3203', `Payee FSP ID not found - Participant ${payee} not found`],
  ])(
    'With Mojaloop compatibility a bulk that is refused for %s has %s and the text that its clients compare',
    async (reason, errorCode, errorDescription) => {
      const refusals = new Map([[payer, reason]])
      const world = openWorld({ compatibility: 'mojaloop', refusals })
      const errorInformation = { errorCode, errorDescription }
      const [published] = (await world.handleBulks(bulkPrepareEvent(bulk, ids))).filter(
        ({ type }) => type === 'BulkTransferRejected',
      )
      expect(payloadOf(published)).toMatchObject({ errorInformation })
      const [again] = await world.handleBulks(bulkPrepareEvent(bulk, ids))
      expect(payloadOf(again)).toMatchObject({ errorInformation })
    },
  )

  test('With Mojaloop compatibility an item names the account that is inactive, and a used id has no detail', async () => {
    const refusals = new Map([[payer, 'PAYEE_INACTIVE' as const]])
    const world = openWorld({ compatibility: 'mojaloop', refusals })
    await world.handleBulks(bulkPrepareEvent(bulk, ids))
    const errorDescription = `Generic validation error - Participant ${payee} USD account is inactive`
    expect(world.row(first)).toMatchObject({ error: { errorCode: '3100', errorDescription } })
    const [refused] = await world.handleBulks(bulkPrepareEvent(bulk, [first]))
    expect(payloadOf(refused)).toMatchObject({
      errorInformation: { errorCode: '3106', errorDescription: 'Modified request' },
    })
  })

  test('A repeated request of a bulk transfer that was refused as a whole gets the error again', async () => {
    const world = openWorld({ refusals: new Map([[payer, 'PAYEE_UNKNOWN']]) })
    await world.handleBulks(bulkPrepareEvent(bulk, ids))
    const published = await world.handleBulks(bulkPrepareEvent(bulk, ids))
    expect(errorIn(the('BulkTransferQueryResponse', published))).toBe('3203')
  })

  test.each([
    ['with other content', {}],
    ['of another payer FSP', { payerFsp: 'otherbank' }],
  ])(
    'A request for a used id %s is refused with 3106 and changes nothing',
    async (_what, changes) => {
      const world = await acceptedWorld()
      const before = world.bulk(bulk)
      const published = await world.handleBulks(
        bulkPrepareEvent(bulk, [first, 'transfer-4'], changes),
      )
      expect(errorIn(the('BulkTransferPrepareRefused', published))).toBe('3106')
      expect(world.bulk(bulk)).toEqual(before)
      expect(world.row('transfer-4')).toBeUndefined()
    },
  )

  test('A single transfer with the id of an item is refused with 3106', async () => {
    const world = await acceptedWorld()
    const published = await world.handle(prepareEvent(first))
    expect(errorIn(the('TransferPrepareDuplicateCheckFailed', published))).toBe('3106')
  })
})

describe('Answers of the payee FSP:', () => {
  test('Fulfilled items are committed, which is announced once for the bulk transfer and never for an item', async () => {
    const world = await acceptedWorld()
    const published = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    expect(typesOf(published)).toEqual(['BulkTransferItemsEnded', 'BulkTransferCompleted'])
    expect(resultsIn(published[1])).toEqual(ids.map((id) => `${id} paid`))
    expect(payloadOf(published[1])).toMatchObject({
      payee: { version: '1.1', hasSpoken: true, leftOut: [] },
    })
    expect(ids.map((id) => world.row(id)?.state)).toEqual(['COMMITTED', 'COMMITTED', 'COMMITTED'])
  })

  test('The end of each item is announced to settlement', async () => {
    const world = await acceptedWorld()
    const results = [
      { transferId: first, fulfilment },
      { transferId: second, errorInformation: rejection },
    ]
    const published = await world.handleBulks(bulkFulfilEvent(bulk, results))
    const completedTimestamp = '2026-01-01T00:00:01.500Z'
    const amount = { amount: '10', currency: 'USD' }
    expect(payloadOf(the('BulkTransferItemsEnded', published))).toEqual({
      bulkTransferId: bulk,
      payerFsp: payer,
      payeeFsp: payee,
      receivedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:00:00.000Z',
      items: [
        {
          transferId: first,
          amount,
          completedTimestamp,
          committed: {
            settlementModelId: 1,
            settles: 'NET',
            settlementWindowId: 1,
            payerAccountId: 11,
            payeeAccountId: 12,
          },
        },
        { transferId: second, amount, completedTimestamp, errorInformation: rejection },
      ],
    })
  })

  test('An item with a wrong fulfilment is aborted with 3100, and the bulk transfer is completed', async () => {
    const world = openWorld()
    await world.handleBulks(bulkPrepareEvent(bulk, [first, second]))
    const published = await world.handleBulks(
      bulkFulfilEvent(bulk, [
        { transferId: first, fulfilment },
        { transferId: second, fulfilment: otherFulfilment },
      ]),
    )
    const completed = the('BulkTransferCompleted', published)
    expect(resultsIn(completed)).toEqual([`${first} paid`, `${second} 3100`])
  })

  test('An answer that refuses each item rejects the bulk transfer', async () => {
    const world = await acceptedWorld()
    const published = await world.handleBulks(
      bulkFulfilEvent(
        bulk,
        ids.map((transferId) => ({ transferId, errorInformation: rejection })),
      ),
    )
    const rejected = the('BulkTransferRejected', published)
    expect(resultsIn(rejected)).toEqual(ids.map((id) => `${id} 5104`))
    expect(payloadOf(rejected)['errorInformation']).toBeUndefined()
  })

  test('An answer with REJECTED releases every item, named or not', async () => {
    const world = await acceptedWorld()
    const published = await world.handleBulks(
      bulkFulfilEvent(bulk, [{ transferId: first, errorInformation: rejection }], {
        bulkTransferState: 'REJECTED',
      }),
    )
    const rejected = the('BulkTransferRejected', published)
    expect(resultsIn(rejected)).toEqual([`${first} 5104`, `${second} 5105`, `${third} 5105`])
    expect(payloadOf(rejected)['payee']).toBeUndefined()
  })

  test('An error of the payee FSP rejects the bulk transfer with that error, and GET returns REJECTED', async () => {
    const world = await acceptedWorld()
    const published = await world.handleBulks(bulkRejectEvent(bulk))
    const rejected = the('BulkTransferRejected', published)
    expect(errorIn(rejected)).toBe('5001')
    expect(payloadOf(rejected)['payee']).toBeUndefined()
    const shown = await world.handleBulks(bulkQueryEvent(bulk, payer))
    expect(payloadOf(shown[0])).toMatchObject({ bulkTransferState: 'REJECTED' })
    expect(resultsIn(shown[0])).toEqual(ids.map((id) => `${id} 5001`))
  })

  test('Items that the final answer omits end at their expiry', async () => {
    const world = await acceptedWorld()
    const published = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled([first])))
    expect(typesOf(published)).toEqual(['BulkTransferItemsEnded'])
    expect(world.bulk(bulk)?.state).toBe('PROCESSING')
    world.time(61_000)
    const swept = await world.sweep()
    expect(resultsIn(the('BulkTransferCompleted', swept))).toEqual([
      `${first} paid`,
      `${second} 3303`,
      `${third} 3303`,
    ])
  })

  test('An answer before the last one ends some items, and the last one the rest', async () => {
    const world = await acceptedWorld()
    const bulkTransferState = 'PROCESSING'
    await world.handleBulks(bulkFulfilEvent(bulk, fulfilled([first]), { bulkTransferState }))
    expect(world.row(first)?.state).toBe('COMMITTED')
    const published = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    expect(resultsIn(the('BulkTransferCompleted', published))).toEqual(
      ids.map((id) => `${id} paid`),
    )
  })

  test('The extensions of each item are forwarded and returned for later queries', async () => {
    const world = await acceptedWorld()
    const paid = { transferId: first, fulfilment, extensionList: extensions('first') }
    const refused = {
      transferId: second,
      errorInformation: { ...rejection, extensionList: extensions('of the error') },
      extensionList: extensions('second'),
    }
    const invalid = {
      transferId: third,
      fulfilment: otherFulfilment,
      extensionList: extensions('third'),
    }
    const published = await world.handleBulks(bulkFulfilEvent(bulk, [paid, refused, invalid]))
    const errorInformation = expect.objectContaining({ errorCode: '3100' })
    const individualTransferResults = [paid, refused, { transferId: third, errorInformation }]
    const completed = payloadOf(the('BulkTransferCompleted', published))
    expect(completed).toMatchObject({ individualTransferResults })
    const shown = await world.handleBulks(bulkQueryEvent(bulk, payer))
    expect(payloadOf(shown[0])).toMatchObject({ individualTransferResults })
  })

  test('An answer that rejects the bulk transfer may have an error for each item', async () => {
    const world = await acceptedWorld()
    const refused = { transferId: first, extensionList: extensions('first') }
    const bulkTransferState = 'REJECTED'
    const published = await world.handleBulks(
      bulkFulfilEvent(bulk, [refused], { bulkTransferState }),
    )
    const errorInformation = expect.objectContaining({ errorCode: '5105' })
    expect(payloadOf(the('BulkTransferRejected', published))).toMatchObject({
      individualTransferResults: [
        { ...refused, errorInformation },
        { transferId: second, errorInformation },
        { transferId: third, errorInformation },
      ],
    })
  })

  test('An answer that names no item of the bulk transfer reads none, and reports nothing new twice', async () => {
    const world = await acceptedWorld()
    const bulkTransferState = 'PROCESSING'
    const placesOf = async (results: Parameters<typeof bulkFulfilEvent>[1]) => {
      const places: string[] = []
      await world.handleBulksThrough(
        (at) => void places.push(at),
        [bulkFulfilEvent(bulk, results, { bulkTransferState })],
      )
      return places.filter((at) => at.startsWith('before'))
    }
    expect(await placesOf(fulfilled(['transfer-9']))).toEqual(['before read', 'before take'])
    expect(world.bulk(bulk)?.state).toBe('PROCESSING')
    expect(await placesOf(fulfilled(['transfer-9']))).toEqual(['before read'])
    // Only the items that it names are read, and none that is final.
    const named = await placesOf(fulfilled([first]))
    expect(named).toEqual([
      'before read',
      'before openItems',
      'before take',
      'before read',
      'before ProcessTransferFulfil',
      'before move',
      'before sweepAgain',
    ])
    expect(await placesOf(fulfilled([first]))).toEqual(['before read', 'before openItems'])
    expect(ids.map((id) => world.row(id)?.state)).toEqual(['COMMITTED', 'RESERVED', 'RESERVED'])
  })

  test('Results for items that were not requested change nothing', async () => {
    const world = openWorld()
    await world.handle(prepareEvent(second))
    await world.handleBulks(bulkPrepareEvent(bulk, [first, second]))
    await world.handleBulks(bulkFulfilEvent(bulk, fulfilled([first, second, 'transfer-9'])))
    expect(world.row(second)?.state).toBe('RESERVED')
  })

  test.each([
    ['again is answered with the outcome', fulfilled(ids), undefined],
    ['again with other content is refused with 3106', fulfilled([first]), '3106'],
  ])('An answer that arrives %s', async (_what, results, code) => {
    const world = await acceptedWorld()
    await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    const published = await world.handleBulks(bulkFulfilEvent(bulk, results))
    const answer = the('BulkTransferQueryResponse', published)
    expect(payloadOf(answer)).toMatchObject({ requesterFspId: payee, legRole: 'PAYEE' })
    if (code === undefined) expect(resultsIn(answer)).toEqual(ids.map((id) => `${id} paid`))
    else expect(errorIn(answer)).toBe(code)
  })

  test('A redelivered answer publishes nothing', async () => {
    const world = await acceptedWorld()
    const event = bulkFulfilEvent(bulk, fulfilled(ids))
    await world.handleBulks(event)
    expect(await world.handleBulks(event)).toEqual([])
  })

  test('An answer of another FSP, for another FSP or for an unknown bulk transfer is refused', async () => {
    const world = await acceptedWorld()
    const of = async (changes: object, id = bulk) =>
      errorIn(
        the(
          'BulkTransferQueryResponse',
          await world.handleBulks(bulkFulfilEvent(id, fulfilled(ids), changes)),
        ),
      )
    expect(await of({ requesterFspId: 'stranger' })).toBe('3100')
    expect(await of({ destinationFspId: 'stranger' })).toBe('3100')
    expect(await of({}, 'bulk-9')).toBe('3210')
    expect(ids.map((id) => world.row(id)?.state)).toEqual(['RESERVED', 'RESERVED', 'RESERVED'])
  })

  test('An answer to an item by PUT /transfers/{ID} is refused with 3100', async () => {
    const world = await acceptedWorld()
    const published = await world.handle(fulfilEvent(first))
    expect(errorIn(the('TransferQueryResponse', published))).toBe('3100')
    expect(world.row(first)?.state).toBe('RESERVED')
  })
})

describe('HTTP refusals of the payee FSP:', () => {
  const refused = (httpStatus: number): ConsumedOfBulks => ({
    name: 'BulkTransferPrepareCallbackReport',
    id: 'the report',
    time: '2026-01-01T00:00:01.000Z',
    maybeDuplicate: false,
    relay: undefined,
    traceparent: undefined,
    payload: {
      reports: [
        {
          notificationId: 'f0d5fbb5-3bd9-4c7e-8a16-3e0a5a4cf7a1',
          entityId: bulk,
          legRole: 'PAYEE',
          destinationFspId: payee,
          status: 'FAILED',
          httpStatus,
          attempts: 1,
          duration_ms: 12,
          reportedAt: '2026-01-01T00:00:01.000Z',
        },
      ],
    },
  })

  test('An HTTP refusal ends the bulk transfer at once if the scheme is configured so', async () => {
    const world = await acceptedWorld({ abortsRefusedDeliveries: true })
    const published = await world.handleBulks(refused(501))
    const rejected = the('BulkTransferRejected', published)
    expect(resultsIn(rejected)).toEqual(ids.map((id) => `${id} 2002`))
    expect(await world.handleBulks(refused(501))).toEqual([])
  })

  test.each([
    ['asks for a repetition', true, 429],
    ['is of a scheme that waits for the expiry', false, 400],
  ])(
    'An HTTP refusal that %s leaves the bulk transfer unchanged',
    async (_what, abortsRefusedDeliveries, httpStatus) => {
      const world = await acceptedWorld({ abortsRefusedDeliveries })
      expect(await world.handleBulks(refused(httpStatus))).toEqual([])
      expect(world.bulk(bulk)?.state).toBe('ACCEPTED')
    },
  )

  test('An HTTP refusal after the answer changes nothing', async () => {
    const world = await acceptedWorld({ abortsRefusedDeliveries: true })
    await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    expect(await world.handleBulks(refused(400))).toEqual([])
    expect(world.bulk(bulk)?.state).toBe('COMPLETED')
  })
})

describe('Expiry:', () => {
  test('A bulk transfer that expires without an answer is completed with 3303 for each item', async () => {
    const world = await acceptedWorld()
    world.time(61_000)
    const completed = the('BulkTransferCompleted', await world.sweep())
    expect(resultsIn(completed)).toEqual(ids.map((id) => `${id} 3303`))
    expect(payloadOf(completed)).toMatchObject({ payee: { hasSpoken: false } })
  })

  test('An answer is judged by its time of receipt, however late it is processed', async () => {
    const world = await acceptedWorld()
    world.time(600_000)
    const published = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    expect(resultsIn(the('BulkTransferCompleted', published))).toEqual(
      ids.map((id) => `${id} paid`),
    )
  })

  test('An answer that was received after the expiry ends every item with 3303', async () => {
    const world = await acceptedWorld()
    world.time(600_000)
    const receivedAt = '2026-01-01T00:01:00.000Z'
    const published = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids), { receivedAt }))
    const completed = the('BulkTransferCompleted', published)
    expect(resultsIn(completed)).toEqual(ids.map((id) => `${id} 3303`))
    expect(payloadOf(completed)).toMatchObject({ payee: { hasSpoken: true } })
  })

  test('The payee FSP of an expired bulk transfer gets 3303 for its answer', async () => {
    const world = await acceptedWorld()
    world.time(61_000)
    await world.sweep()
    const published = await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    expect(errorIn(the('BulkTransferQueryResponse', published))).toBe('3303')
  })
})

describe('Queries:', () => {
  test('A query returns the state alone while the bulk transfer is in flight', async () => {
    const world = await acceptedWorld()
    const shown = await world.handleBulks(bulkQueryEvent(bulk, payer))
    expect(payloadOf(shown[0])).toEqual({
      bulkTransferId: bulk,
      requesterFspId: payer,
      version: '1.1',
      legRole: 'PAYER',
      bulkTransferState: 'ACCEPTED',
    })
  })

  test('A query of the payee FSP returns the items that it received', async () => {
    const world = openWorld({ covers: new Map([[payer, 200_000n]]) })
    await world.handleBulks(bulkPrepareEvent(bulk, ids))
    await world.handleBulks(bulkFulfilEvent(bulk, fulfilled([first, second])))
    const shown = await world.handleBulks(bulkQueryEvent(bulk, payee))
    expect(resultsIn(shown[0])).toEqual([`${first} paid`, `${second} paid`])
    const toPayer = await world.handleBulks(bulkQueryEvent(bulk, payer))
    expect(resultsIn(toPayer[0])).toEqual([`${first} paid`, `${second} paid`, `${third} 4001`])
  })

  test.each([
    ['an unknown bulk', 'bulk-9', payer, '3210'],
    ['an FSP that is not party to it', bulk, 'stranger', '3000'],
  ])('A query for or of %s is answered with an error', async (_what, id, asker, code) => {
    const world = await acceptedWorld()
    expect(errorIn((await world.handleBulks(bulkQueryEvent(id, asker)))[0])).toBe(code)
  })

  test('A query for a rejected bulk transfer is answered with 3210 when its retention is over', async () => {
    const world = await acceptedWorld()
    await world.handleBulks(bulkRejectEvent(bulk))
    world.time(3_600_001)
    expect(errorIn((await world.handleBulks(bulkQueryEvent(bulk, payer)))[0])).toBe('3210')
  })
})
