/** The steps of transfers from event to event, as FSPs see them. */
import { FromNewerRelease, type OutgoingMessage } from '@causeway/bus'
import { catalogue, derivedId } from '@causeway/events'
import type { Entry } from '@causeway/ledger/testing'
import { Crash, crashAt } from '@causeway/process/testing/gated'
import type { ReserveRefusal } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import {
  fulfilEvent,
  fulfilment,
  hashOf,
  modellessEvent,
  otherFulfilment,
  payee,
  payer,
  prepareEvent,
  queryEvent,
  rejectEvent,
} from './testing/messages.ts'
import { openWorld, typesOf } from './testing/world.ts'

const id = 'c4ae1b04-51a3-4bd9-9a43-0c2a5c9e8d10'
const late = { receivedAt: '2026-01-01T00:01:00.000Z' }

/** A deposit, in the ledger alone. */
const posted: Entry & { readonly terms: object } = {
  id,
  kind: 'FUNDS_IN',
  outcome: 'POSTED',
  reason: null,
  terms: { payer, payee: payer, amount: 100_000n, currency: 'USD' },
  parties: { payerId: 2, payeeId: 2 },
  accounts: { debitAccountId: 1, creditAccountId: 2 },
  expiresAt: null,
  settlement: null,
  fee: null,
  windowId: null,
  facts: null,
  evidence: Buffer.alloc(0),
  createdAt: new Date(0),
  completedAt: new Date(0),
}

async function reservedWorld() {
  const world = openWorld()
  await world.handle(prepareEvent(id))
  return world
}

/** What a consumer will read: the payload must pass its schema. */
function payloadOf(message: OutgoingMessage | undefined): unknown {
  const schema = catalogue[message?.type as keyof typeof catalogue].schema
  return schema.parse(JSON.parse(JSON.stringify(message?.payload)))
}

function only(messages: readonly OutgoingMessage[]): OutgoingMessage | undefined {
  expect(messages).toHaveLength(1)
  return messages[0]
}

function errorOf(message: OutgoingMessage | undefined): string {
  const { errorInformation } = payloadOf(message) as {
    errorInformation: { errorCode: string; errorDescription: string }
  }
  return `${errorInformation.errorCode} ${errorInformation.errorDescription}`
}

describe('Prepares:', () => {
  test('A prepare that the ledger reserves is announced with the bytes of the request', async () => {
    const world = openWorld()
    const prepared = only(await world.handle(prepareEvent(id)))
    expect(prepared?.type).toBe('TransferPrepared')
    expect(payloadOf(prepared)).toMatchObject({
      transferId: id,
      payerFsp: payer,
      payeeFsp: payee,
      amount: { amount: '12.5', currency: 'USD' },
      settlementModelId: 1,
    })
    expect(String(prepared?.headers['relay-body'])).toBe(`prepare ${id}`)
    expect(world.row(id)?.state).toBe('RESERVED')
  })

  test.each<[ReserveRefusal, string, string]>([
    ['PAYER_UNKNOWN', 'TransferPrepareInvalidPayerCheckFailed', '3202'],
    ['PAYEE_UNKNOWN', 'TransferPrepareInvalidPayeeCheckFailed', '3203'],
    ['PAYER_INACTIVE', 'TransferPrepareInvalidPayerCheckFailed', '3100'],
    ['PAYEE_INACTIVE', 'TransferPrepareInvalidPayeeCheckFailed', '3100'],
    ['PAYER_NO_ACCOUNT', 'TransferPrepareInvalidPayerCheckFailed', '3100'],
    ['PAYEE_NO_ACCOUNT', 'TransferPrepareInvalidPayeeCheckFailed', '3100'],
    ['PAYEE_UNREACHABLE', 'TransferPrepareInvalidPayeeCheckFailed', '3201'],
    ['COVER_SHORT', 'TransferPrepareLiquidityCheckFailed', '4001'],
    ['CAP_SHORT', 'TransferPrepareLiquidityCheckFailed', '4200'],
    ['EXPIRED', 'TransferPrepareRequestTimedout', '3303'],
  ])('A prepare that the ledger refuses for %s ends with %s %s', async (reason, type, code) => {
    const world = openWorld({ refusals: new Map([[payer, reason]]) })
    const published = only(await world.handle(prepareEvent(id)))
    expect(published?.type).toBe(type)
    expect(errorOf(published)).toMatch(new RegExp(`^${code} `))
    expect(world.row(id)).toMatchObject({ state: 'ABORTED', reason })
    // A refused id is remembered: the same request again gets the same answer.
    const again = only(await world.handle(prepareEvent(id)))
    expect(again?.type).toBe('TransferQueryResponse')
    expect(payloadOf(again)).toMatchObject({ notices: ['ERROR'], legRole: 'PAYER' })
    expect(errorOf(again)).toBe(errorOf(published))
  })

  test('A prepare for a payee FSP that is no participant gets the code that clients of Mojaloop expect', async () => {
    const refusals = new Map([[payer, 'PAYEE_UNKNOWN' as const]])
    const world = openWorld({ refusals, compatibility: 'mojaloop' })
    const published = only(await world.handle(prepareEvent(id)))
    expect(errorOf(published)).toBe('3100 Generic validation error - the payee FSP is unknown')
    const asked = only(await world.handle(queryEvent(id, payer)))
    expect(payloadOf(asked)).toMatchObject({
      transferState: 'ABORTED',
      extensionList: {
        extension: [
          { key: 'cause', value: '3100: Generic validation error - the payee FSP is unknown' },
        ],
      },
    })
  })

  test('A prepare without a settlement model is voided in the ledger before it is refused', async () => {
    const world = openWorld()
    const published = only(await world.handle(modellessEvent(id)))
    expect(published?.type).toBe('TransferRejectRequestProcessed')
    expect(payloadOf(published)).toMatchObject({ payeeNotice: 'NONE' })
    expect(errorOf(published)).toMatch(/^3100 .*no settlement model/)
    expect(world.ledger.entries.get(id)).toMatchObject({
      outcome: 'VOIDED',
      reason: 'NO_SETTLEMENT_MODEL',
    })
  })

  test('A prepare with an id that the ledger uses otherwise gets 3106', async () => {
    const world = openWorld()
    world.ledger.put(posted)
    const published = only(await world.handle(prepareEvent(id)))
    expect(published?.type).toBe('TransferPrepareDuplicateCheckFailed')
    expect(world.row(id)).toMatchObject({ state: 'ABORTED', reason: 'MISMATCH' })
  })

  test('A prepare with other content or of another payer gets 3106 in an event with an id of its own', async () => {
    const world = await reservedWorld()
    const modified = prepareEvent(id, { payloadHash: hashOf('other') })
    const stolen = prepareEvent(id, { payerFsp: 'otherbank' })
    for (const event of [modified, stolen]) {
      const published = only(await world.handle(event))
      expect(published?.type).toBe('TransferPrepareDuplicateCheckFailed')
      expect(published?.id).toBe(derivedId(event.id, 'TransferPrepareDuplicateCheckFailed'))
      expect(payloadOf(published)).toMatchObject({ requesterFspId: event.payload.payerFsp })
      expect(errorOf(published)).toMatch(/^3106 /)
    }
    expect(world.row(id)?.state).toBe('RESERVED')
  })

  test('A prepare that the ledger could not take is neither refused nor lost', async () => {
    const faulty = new Set([id])
    const world = openWorld({ faulty })
    const neighbour = prepareEvent('neighbour')
    const event = prepareEvent(id)
    await expect(world.handle(event, neighbour)).rejects.toThrow(id)
    expect(world.row('neighbour')?.state).toBe('RESERVED')
    expect(world.row(id)?.state).toBe('RECEIVED')
    expect(world.alarms).toEqual(['LEDGER_FAULT'])
    faulty.clear()
    expect(typesOf(await world.handle(event))).toEqual(['TransferPrepared'])
  })
})

test('A refusal for an unknown reason waits for a release that knows it', async () => {
  const refusals = new Map([[payer, 'MOON' as never]])
  const world = openWorld({ refusals })
  const event = prepareEvent(id)
  await expect(world.handle(event)).rejects.toThrow(FromNewerRelease)
  expect(world.row(id)?.state).toBe('RECEIVED')
  expect(world.alarms).toEqual(['LEDGER_NEWER'])
})

describe('Fulfils:', () => {
  test('A fulfil with COMMITTED commits, and the payer FSP gets its bytes', async () => {
    const world = await reservedWorld()
    const published = only(await world.handle(fulfilEvent(id)))
    expect(published?.type).toBe('TransferCommittedFulfiled')
    expect(payloadOf(published)).toMatchObject({
      fulfilment,
      completedTimestamp: '2026-01-01T00:00:01.500Z',
      settlementModelId: 1,
      settles: 'NET',
      settlementWindowId: 1,
      notifyPayee: false,
      payeeVersion: '1.1',
    })
    expect(String(published?.headers['relay-body'])).toBe(`COMMITTED ${fulfilment}`)
    expect(world.row(id)).toMatchObject({ state: 'COMMITTED', fulfilment })
  })

  test('A fulfil with RESERVED commits with a message of the hub, and the payee FSP gets a PATCH', async () => {
    const world = await reservedWorld()
    const published = only(await world.handle(fulfilEvent(id, { transferState: 'RESERVED' })))
    expect(payloadOf(published)).toMatchObject({ notifyPayee: true, fulfilment })
    expect(published?.headers).not.toHaveProperty('relay-body')
  })

  test.each([
    ['COMMITTED', 'ERROR'],
    ['RESERVED', 'PATCH'],
  ] as const)(
    'A fulfil with %s and a wrong fulfilment aborts, and the payee FSP gets %s',
    async (transferState, notice) => {
      const world = await reservedWorld()
      const event = fulfilEvent(id, { transferState, fulfilment: otherFulfilment })
      const published = only(await world.handle(event))
      expect(published?.type).toBe('TransferRejectRequestProcessed')
      expect(payloadOf(published)).toMatchObject({ payeeNotice: notice, payeeVersion: '1.1' })
      expect(errorOf(published)).toBe('3100 Generic validation error - invalid fulfilment')
      expect(published?.headers).not.toHaveProperty('relay-body')
      const asked = only(await world.handle(queryEvent(id, payer)))
      expect(payloadOf(asked)).toMatchObject({
        transferState: 'ABORTED',
        extensionList: {
          extension: [
            { key: 'cause', value: '3100: Generic validation error - invalid fulfilment' },
          ],
        },
      })
    },
  )

  test('A fulfil that was received before the expiry commits, however late it is processed', async () => {
    const world = await reservedWorld()
    world.time(59_999)
    const event = fulfilEvent(id, { receivedAt: world.iso() })
    world.time(1_000_000)
    expect(typesOf(await world.handle(event))).toEqual(['TransferCommittedFulfiled'])
  })

  test.each([
    ['COMMITTED', '1.0', ['ERROR']],
    ['RESERVED', '1.1', ['ERROR', 'PATCH']],
  ] as const)('A fulfil with %s that was received at the expiry is too late', async (...asked) => {
    const [transferState, version, notices] = asked
    const world = await reservedWorld()
    world.time(60_000)
    const event = fulfilEvent(id, { transferState, version, ...late })
    const published = only(await world.handle(event))
    expect(published?.type).toBe('TransferFulfilComitRequestTimedout')
    expect(errorOf(published)).toBe('3303 Transfer expired')
    expect(payloadOf(published)).toMatchObject({
      payeeAnswer: { version, notices, completedTimestamp: '2026-01-01T00:01:00.000Z' },
    })
    expect(world.row(id)).toMatchObject({ state: 'ABORTED', reason: 'TIMEOUT' })
    // It has been answered once and for all; another message of the same content is answered again.
    expect(await world.handle(event)).toEqual([])
    const again = only(await world.handle(fulfilEvent(id, { transferState, version, ...late })))
    expect(payloadOf(again)).toMatchObject({ notices, transferState: 'ABORTED' })
  })

  test('A late fulfil whose processing crashed is answered by the sweeper, once', async () => {
    const world = await reservedWorld()
    world.time(60_000)
    const event = fulfilEvent(id, late)
    await world.handleThrough(crashAt('after ProcessTransferFulfil'), [event]).catch(crashed)
    world.time(1_000)
    const published = only(await world.sweep())
    expect(payloadOf(published)).toMatchObject({
      payeeAnswer: { version: '1.1', notices: ['ERROR'] },
    })
    expect(await world.handle(event)).toEqual([])
  })

  test('A late fulfil that another late one overtook is answered as well', async () => {
    const world = await reservedWorld()
    world.time(60_000)
    const first = fulfilEvent(id, late)
    await world.handleThrough(crashAt('after ProcessTransferFulfil'), [first]).catch(crashed)
    const published = await world.handle(fulfilEvent(id, late))
    expect(typesOf(published)).toEqual([
      'TransferFulfilComitRequestTimedout',
      'TransferQueryResponse',
    ])
    expect(published.map(errorOf)).toEqual(['3303 Transfer expired', '3303 Transfer expired'])
    expect(await world.handle(first)).toEqual([])
  })

  test('A fulfil after the sweep gets 3303, and PATCH ABORTED if it has RESERVED', async () => {
    const world = await reservedWorld()
    world.time(61_000)
    expect(typesOf(await world.sweep())).toEqual(['TransferFulfilComitRequestTimedout'])
    const plain = only(await world.handle(fulfilEvent(id, late)))
    expect(payloadOf(plain)).toMatchObject({ notices: ['ERROR'], legRole: 'PAYEE' })
    const patch = only(await world.handle(fulfilEvent(id, { transferState: 'RESERVED', ...late })))
    expect(payloadOf(patch)).toMatchObject({
      notices: ['ERROR', 'PATCH'],
      transferState: 'ABORTED',
      extensionList: { extension: [{ key: 'cause', value: '3303: Transfer expired' }] },
    })
    expect(errorOf(patch)).toBe('3303 Transfer expired')
  })

  test('A fulfil that loses against another one gets 3106, and a repeat of the winner gets the result', async () => {
    const world = await reservedWorld()
    await world.handle(fulfilEvent(id))
    const other = only(
      await world.handle(fulfilEvent(id, { payloadHash: hashOf('another timestamp') })),
    )
    expect(errorOf(other)).toBe('3106 Modified request')
    const same = only(await world.handle(fulfilEvent(id)))
    expect(payloadOf(same)).toMatchObject({
      notices: ['PUT'],
      transferState: 'COMMITTED',
      fulfilment,
      legRole: 'PAYEE',
    })
  })

  test('A fulfil of a claim that was never reserved reserves first, and the payee FSP still gets its POST', async () => {
    const world = openWorld()
    await world.handleThrough(crashAt('after claim'), [prepareEvent(id)]).catch(crashed)
    const published = await world.handle(fulfilEvent(id))
    expect(typesOf(published)).toEqual(['TransferPrepared', 'TransferCommittedFulfiled'])
    expect(String(published[0]?.headers['relay-body'])).toBe(`prepare ${id}`)
  })

  test('A redelivered fulfil publishes nothing', async () => {
    const world = await reservedWorld()
    const event = fulfilEvent(id)
    await world.handle(event)
    expect(await world.handle(event)).toEqual([])
  })
})

describe('Misdirected fulfils:', () => {
  const stolen = { requesterFspId: 'stranger', version: '1.1' } as const
  const astray = { destinationFspId: 'stranger', version: '1.1' } as const
  const cause =
    '3100 Generic validation error - the fulfil is not from the payee FSP to the payer FSP'

  test.each([stolen, astray])(
    'A misdirected fulfil is refused and changes nothing: %j',
    async (wrong) => {
      const world = await reservedWorld()
      const published = only(await world.handle(fulfilEvent(id, wrong)))
      expect(payloadOf(published)).toMatchObject({ notices: ['ERROR'] })
      expect(errorOf(published)).toMatch(/^3100 /)
      expect(world.row(id)?.state).toBe('RESERVED')
      expect(typesOf(await world.handle(fulfilEvent(id)))).toEqual(['TransferCommittedFulfiled'])
    },
  )

  test.each([
    ['COMMITTED', 'ERROR'],
    ['RESERVED', 'PATCH'],
  ] as const)(
    'In Mojaloop mode a misdirected fulfil of the payee FSP with %s aborts, and it gets %s',
    async (transferState, payeeNotice) => {
      const world = openWorld({ misdirectedAborts: true })
      await world.handle(prepareEvent(id, { version: '1.0' }))
      const event = fulfilEvent(id, { transferState, ...astray })
      const published = only(await world.handle(event))
      expect(published?.type).toBe('TransferRejectRequestProcessed')
      expect(payloadOf(published)).toMatchObject({
        payerFsp: payer,
        payeeNotice,
        payeeVersion: '1.1',
      })
      expect(errorOf(published)).toBe(cause)
      expect(published?.headers).not.toHaveProperty('relay-body')
      expect(world.row(id)).toMatchObject({ state: 'ABORTED', reason: 'MISDIRECTED_FULFIL' })
      expect(world.ledger.entries.get(id)?.outcome).toBe('VOIDED')
      expect(await world.handle(event)).toEqual([])
    },
  )

  test('In Mojaloop mode a fulfil of another FSP aborts, and all three FSPs are notified', async () => {
    const world = openWorld({ misdirectedAborts: true })
    await world.handle(prepareEvent(id, { version: '1.0' }))
    const event = fulfilEvent(id, stolen)
    const published = await world.handle(event)
    expect(typesOf(published)).toEqual(['TransferRejectRequestProcessed', 'TransferQueryResponse'])
    // The payee FSP has not answered: its notice has the version of the request.
    expect(payloadOf(published[0])).toMatchObject({ payeeNotice: 'ERROR', payeeVersion: '1.0' })
    expect(payloadOf(published[1])).toMatchObject({
      requesterFspId: 'stranger',
      notices: ['ERROR'],
    })
    expect(payloadOf(published[1])).not.toHaveProperty('transferState')
    // Delivered again it is the same refusal under the same id.
    expect((await world.handle(event)).map((answer) => answer.id)).toEqual([published[1]?.id])
    // The payee FSP that answers now is late, but has modified nothing.
    const own = only(await world.handle(fulfilEvent(id)))
    expect(errorOf(own)).toBe('3100 Generic validation error - the transfer is not reserved')
  })

  test('A misdirected fulfil whose processing crashed is announced by the sweeper with its reason', async () => {
    const world = openWorld({ misdirectedAborts: true })
    await world.handle(prepareEvent(id))
    const event = fulfilEvent(id, stolen)
    await world.handleThrough(crashAt('after ProcessTransferRelease'), [event]).catch(crashed)
    world.time(61_000)
    const published = only(await world.sweep())
    expect(published?.type).toBe('TransferRejectRequestProcessed')
    expect(errorOf(published)).toBe(cause)
    expect(typesOf(await world.handle(event))).toEqual(['TransferQueryResponse'])
  })
})

describe('Rejects:', () => {
  test('A reject aborts, and the payer FSP gets its bytes', async () => {
    const world = await reservedWorld()
    const published = only(await world.handle(rejectEvent(id)))
    expect(published?.type).toBe('TransferRejectRequestProcessed')
    expect(payloadOf(published)).toMatchObject({ payeeNotice: 'NONE' })
    expect(errorOf(published)).toBe('5104 Payee rejected transaction')
    expect(String(published?.headers['relay-body'])).toBe('reject')
    const asked = only(await world.handle(queryEvent(id, payee)))
    expect(payloadOf(asked)).toMatchObject({
      extensionList: {
        extension: [{ key: 'cause', value: '5104: Payee rejected transaction' }],
      },
    })
  })

  test('A reject after the commit raises an alarm and notifies no FSP', async () => {
    const world = await reservedWorld()
    await world.handle(fulfilEvent(id))
    expect(await world.handle(rejectEvent(id))).toEqual([])
    expect(world.alarms).toEqual(['REJECT_AFTER_COMMIT'])
    expect(world.row(id)?.state).toBe('COMMITTED')
  })
})

describe('The sweeper:', () => {
  test('Transfers are voided after expiry and grace, not before', async () => {
    const world = await reservedWorld()
    world.time(60_999)
    expect(await world.sweep()).toEqual([])
    world.time(1)
    const published = only(await world.sweep())
    expect(published?.type).toBe('TransferFulfilComitRequestTimedout')
    expect(payloadOf(published)).toMatchObject({ payerFsp: payer, payeeFsp: payee })
    expect(await world.sweep()).toEqual([])
  })

  test('A void that the ledger postpones is repeated at the time that the ledger names', async () => {
    const world = await reservedWorld()
    const [row] = await world.deps.store.takeDue('singles', new Date('2026-01-01T00:02:00Z'), 0, 1)
    expect(row?.transferId).toBe(id)
    await world.deps.store.sweepAgain([{ transferId: id, at: new Date(0) }])
    expect(await world.sweep()).toEqual([])
    // The ledger answered 61 s; until then nothing is due.
    expect(
      await world.deps.store.takeDue('singles', new Date('2026-01-01T00:01:00.999Z'), 0, 1),
    ).toEqual([])
    world.time(61_000)
    expect(typesOf(await world.sweep())).toEqual(['TransferFulfilComitRequestTimedout'])
  })

  test('A transfer that the sweeper finds posted is announced from the evidence alone', async () => {
    const world = await reservedWorld()
    const fulfil = fulfilEvent(id)
    await world.handleThrough(crashAt('after ProcessTransferFulfil'), [fulfil]).catch(crashed)
    world.time(61_000)
    const published = only(await world.sweep())
    expect(published?.type).toBe('TransferCommittedFulfiled')
    expect(payloadOf(published)).toMatchObject({ fulfilment, payeeVersion: '1.1' })
    expect(published?.headers).not.toHaveProperty('relay-body')
    // The fulfil that was lost is delivered again: its end has been published already.
    expect(await world.handle(fulfil)).toEqual([])
  })
})

describe('The comparison with the ledger:', () => {
  test('The comparison makes a reserved transfer follow a ledger that never reserved it, with an alarm', async () => {
    const world = await reservedWorld()
    const entry = world.ledger.entries.get(id)
    if (entry === undefined) throw new Error('not reserved')
    world.ledger.put({ ...entry, outcome: 'REFUSED', reason: 'COVER_SHORT' })
    world.time(130_000)
    expect(await world.sweep()).toEqual([])
    const published = only(await world.heal())
    expect(published?.type).toBe('TransferPrepareLiquidityCheckFailed')
    expect(world.row(id)).toMatchObject({ state: 'ABORTED', reason: 'COVER_SHORT' })
    expect(world.alarms).toEqual(['LEDGER_DISAGREES', 'LEDGER_DISAGREES'])
  })

  test('The comparison voids a reservation that transfers does not know, with an alarm', async () => {
    const world = openWorld()
    const forgotten = openWorld()
    await forgotten.handle(prepareEvent(id))
    const entry = forgotten.ledger.entries.get(id)
    if (entry === undefined) throw new Error('not reserved')
    world.ledger.put(entry)
    world.time(119_999)
    await world.heal()
    expect(world.alarms).toEqual([])
    world.time(1)
    await world.heal()
    expect(world.ledger.entries.get(id)).toMatchObject({ outcome: 'VOIDED', reason: 'TIMEOUT' })
    expect(world.alarms).toEqual(['RESERVATION_UNKNOWN'])
  })

  test('The comparison leaves a reservation unchanged that transfers has as paid', async () => {
    const world = await reservedWorld()
    await world.handle(fulfilEvent(id))
    const entry = world.ledger.entries.get(id)
    if (entry === undefined) throw new Error('not posted')
    world.ledger.put({ ...entry, outcome: 'RESERVED' })
    world.time(200_000)
    await world.heal()
    expect(world.ledger.entries.get(id)?.outcome).toBe('RESERVED')
    expect(world.alarms).toEqual(['RESERVATION_UNKNOWN'])
  })
})

describe('Queries:', () => {
  test('A query of payer and payee FSP is answered with the state, one of another FSP with 3000', async () => {
    const world = await reservedWorld()
    const published = await world.handle(
      queryEvent(id, payer),
      queryEvent(id, payee),
      queryEvent(id, 'stranger'),
    )
    expect(published.map(payloadOf)).toMatchObject([
      { notices: ['PUT'], transferState: 'RESERVED', legRole: 'PAYER' },
      { notices: ['PUT'], transferState: 'RESERVED', legRole: 'PAYEE' },
      { notices: ['ERROR'], legRole: 'REQUESTER' },
    ])
    expect(payloadOf(published[2])).not.toHaveProperty('transferState')
    expect(errorOf(published[2])).toMatch(/^3000 /)
  })

  test.each([
    ['FUNDS_IN', payer, payer],
    ['FUNDS_OUT', payer, payer],
    ['SETTLEMENT', 'Hub', payer],
    ['SETTLEMENT', payer, 'Hub'],
  ] as const)(
    'A query for %s from %s to %s is answered from the ledger',
    async (kind, from, to) => {
      const world = openWorld()
      world.ledger.put({ ...posted, kind, terms: { ...posted.terms, payer: from, payee: to } })
      const published = await world.handle(queryEvent(id, payer), queryEvent(id, 'stranger'))
      expect(published.map(payloadOf)).toMatchObject([{ transferState: 'COMMITTED' }, {}])
      expect(payloadOf(published[1])).not.toHaveProperty('transferState')
      expect(errorOf(published[1])).toMatch(/^3000 /)
    },
  )

  test('A query for an unknown id or for an entry of the hub alone gets 3208', async () => {
    const world = openWorld()
    world.ledger.put({ ...posted, kind: 'OPENING' })
    const published = await world.handle(queryEvent(id, payer), queryEvent('nothing', payer))
    expect(published.map(errorOf)).toEqual([
      expect.stringMatching(/^3208 /),
      expect.stringMatching(/^3208 /),
    ])
  })
})

test('A prepare and its fulfil in one batch are processed in their order', async () => {
  const world = openWorld()
  const published = await world.handle(prepareEvent(id), fulfilEvent(id), queryEvent(id, payer))
  expect(typesOf(published)).toEqual([
    'TransferPrepared',
    'TransferCommittedFulfiled',
    'TransferQueryResponse',
  ])
  expect(payloadOf(published[2])).toMatchObject({ transferState: 'COMMITTED' })
})

function crashed(error: unknown): void {
  if (!(error instanceof Crash)) throw error
}
