/** /bulkTransfers at the edge: the events of FSPs' messages, and the callbacks to FSPs. */
import type { DomainEvent, EventName, Payload, Relay } from '@causeway/events'
import { afterEach, describe, expect, test } from '@jest/globals'
import type { Callback } from '../callbacks/callback.ts'
import { bulkTransferAnswer, bulkTransferRequest, itemId } from '../testing/bulk-messages.ts'
import { openEdge, readAtOnce, receivedAt, unawaited, type EdgeChanges } from '../testing/edge.ts'
import {
  condition,
  errorInformation,
  expiration,
  id,
  message,
  withHeaders,
  withMembers,
} from '../testing/messages.ts'
import type { Arrival } from './arrivals.ts'
import { bulkTransferCallbacks, type BulkTransferCallbackEvent } from './callbacks.ts'

const edge = openEdge()
afterEach(() => {
  edge.published.splice(0)
})

const prepare = message('POST', '/bulkTransfers', bulkTransferRequest(2))
const fulfil = message('PUT', `/bulkTransfers/${id}`, bulkTransferAnswer(2))
const reject = message('PUT', `/bulkTransfers/${id}/error`, { errorInformation })
const query = message('GET', `/bulkTransfers/${id}`)
const hash = expect.stringMatching(/^[\w-]{43}$/)
const fulfilment = 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA'

describe('Messages of bulk transfers', () => {
  test('POST /bulkTransfers becomes an event with the members that decide each item, and its bytes', async () => {
    expect(await edge.send(prepare)).toMatchObject({ status: 202 })
    const sentOn = edge.onlyMessage()
    expect(sentOn).toMatchObject({ name: 'BulkTransferPrepareRequested', key: id })
    expect(sentOn.payload).toEqual({
      bulkTransferId: id,
      bulkQuoteId: itemId(0xff),
      payerFsp: 'greenbank',
      payeeFsp: 'bluewallet',
      expiration,
      individualTransfers: [0, 1].map((at) => ({
        transferId: itemId(at),
        amount: { currency: 'USD', amount: '10' },
        condition,
      })),
      payloadHash: hash,
      receivedAt,
      version: '1.1',
    })
    expect(sentOn.body).toBe(String(prepare.body))
  })

  test('PUT /bulkTransfers/{ID} becomes an event with the result of each item', async () => {
    expect(await edge.send(fulfil)).toMatchObject({ status: 200 })
    expect(edge.onlyMessage().payload).toEqual({
      bulkTransferId: id,
      requesterFspId: 'bluewallet',
      destinationFspId: 'greenbank',
      bulkTransferState: 'COMPLETED',
      completedTimestamp: '2026-11-21T10:00:00.000Z',
      individualTransferResults: [0, 1].map((at) => ({ transferId: itemId(at), fulfilment })),
      payloadHash: hash,
      receivedAt,
      version: '1.1',
    })
  })

  test('PUT …/error and GET of a bulk transfer become their events', async () => {
    await edge.send(reject)
    expect(edge.onlyMessage()).toMatchObject({
      name: 'BulkTransferRejectRequested',
      payload: { bulkTransferId: id, requesterFspId: 'bluewallet', errorInformation },
    })
    edge.published.splice(0)
    await edge.send(query)
    expect(edge.onlyMessage()).toMatchObject({
      name: 'BulkTransferQueryReceived',
      payload: { bulkTransferId: id, requesterFspId: 'greenbank' },
    })
  })

  test.each([
    ['2020-01-01T00:00:00.000Z', '400 3100'],
    ['2026-11-21T10:00:00.201Z', '400 3100'],
    ['2026-11-21T10:00:00.200Z', '200'],
  ])(
    'A completedTimestamp %s is recorded, with COMPATIBILITY=mojaloop %s as of a transfer',
    async (completedTimestamp, expected) => {
      const sent = withMembers(fulfil, { completedTimestamp })
      expect((await edge.send(sent)).status).toBe(200)
      const mojaloop = openEdge({ COMPATIBILITY: 'mojaloop' })
      const { status, refusal } = await mojaloop.send(sent)
      expect(refusal === undefined ? `${status}` : `${status} ${refusal.code}`).toBe(expected)
    },
  )

  const items = (changes: object) => ({
    individualTransfers: bulkTransferRequest(2).individualTransfers.map((item, at) =>
      at === 1 ? { ...item, ...changes } : item,
    ),
  })
  test.each([
    ['from another FSP than the payer', '3100', { payerFsp: 'redmoney' }],
    ['to another FSP than the payee', '3100', { payeeFsp: 'redmoney' }],
    ['from an FSP to itself', '3100', { payeeFsp: 'greenbank' }],
    [
      'with an item of amount zero',
      '3100',
      items({ transferAmount: { currency: 'USD', amount: '0' } }),
    ],
    ['with an item without condition', '3102', items({ condition: undefined })],
    ['without items', '3100', { individualTransfers: [] }],
    ['of 1,001 items', '3103', bulkTransferRequest(1_001)],
    ['that does not expire', '3102', { expiration: undefined }],
  ])(
    'A bulk transfer %s is refused with 400/%s, and nothing is stored',
    async (_what, code, changes) => {
      const answer = await edge.send(withMembers(prepare, changes))
      expect([answer.status, answer.refusal?.code]).toEqual([400, code])
      expect(edge.published).toEqual([])
    },
  )

  test('The refusal of a zero amount names the item', async () => {
    const nothing = items({ transferAmount: { currency: 'USD', amount: '0' } })
    const { refusal } = await edge.send(withMembers(prepare, nothing))
    expect(refusal?.detail).toContain(itemId(1))
  })

  test('A bulk transfer may encrypt packets, but not amounts', async () => {
    const hidden = (member: string) =>
      withHeaders(prepare, {
        'fspiop-encryption': JSON.stringify({
          encryptedFields: {
            encryptedField: [
              {
                fieldName: `individualTransfers.0.${member}`,
                encryptedKey: 'a',
                protectedHeader: 'b',
                initializationVector: 'c',
                authenticationTag: 'd',
              },
            ],
          },
        }),
      })
    expect(await edge.send(hidden('ilpPacket'))).toMatchObject({ status: 202 })
    expect(await edge.send(hidden('transferAmount'))).toMatchObject({ status: 400 })
  })
})

const bulkTransferId = id
describe('A large answer', () => {
  const received_ms = Date.parse(receivedAt)

  /** Its body waits in the parser's queue: it is read after `work_ms`. */
  function openBusyEdge(work_ms: number, changes: EdgeChanges = {}) {
    const announced: Arrival[] = []
    const busy = openEdge({
      work_ms,
      largeBodies: {
        ...readAtOnce,
        isLarge: () => true,
        digest: (...given) => Promise.resolve(readAtOnce.digest(...given)),
      },
      arrivals: {
        announce(arrival) {
          announced.push(arrival)
          return Promise.resolve(received_ms + 60_000)
        },
      },
      ...changes,
    })
    return { ...busy, announced }
  }

  test('A large answer is announced before it is read, and stored however long that takes', async () => {
    const busy = openBusyEdge(3_000)
    expect(await busy.outcomeOf(fulfil)).toBe('200')
    expect(busy.announced).toEqual([{ bulkTransferId: id, payeeFsp: 'bluewallet', receivedAt }])
    expect(busy.onlyMessage()).toMatchObject({
      name: 'BulkTransferFulfilRequested',
      payload: { bulkTransferId: id, receivedAt },
    })
  })

  test.each([
    ['later than it is awaited', 60_001, {}],
    ['late where nothing is held back for it', 3_000, { arrivals: unawaited }],
  ])(
    'A large answer that is read %s is refused, to be sent again',
    async (_what, work_ms, changes) => {
      const busy = openBusyEdge(work_ms, changes)
      expect(await busy.outcomeOf(fulfil)).toMatch(/^503 2003/)
      expect(busy.published).toEqual([])
    },
  )

  test('A large answer about an unknown bulk transfer is refused before it is read or stored', async () => {
    const arrivals = { announce: () => Promise.resolve('BULK_UNKNOWN' as const) }
    const busy = openBusyEdge(0, { arrivals })
    expect(await busy.outcomeOf({ ...fulfil, body: '{' })).toBe(
      '400 3210 no bulk transfer has this id',
    )
    expect(busy.published).toEqual([])
  })

  test('A small answer is read at once, and not announced', async () => {
    const announced: Arrival[] = []
    const quick = openEdge({
      arrivals: {
        announce(arrival) {
          announced.push(arrival)
          return Promise.resolve(undefined)
        },
      },
    })
    expect(await quick.outcomeOf(fulfil)).toBe('200')
    expect(announced).toEqual([])
  })
})

const completedTimestamp = '2026-11-21T10:00:00.000Z'
const sides = { bulkTransferId, payerFsp: 'greenbank', payeeFsp: 'bluewallet', payerVersion: '1.0' }
const error = { errorCode: '4001', errorDescription: 'Payer FSP insufficient liquidity' }
const results = [
  { transferId: itemId(0), fulfilment },
  { transferId: itemId(1), errorInformation: error },
]
const rules = { notifyPayeeOnTimeout: true }

function event<Name extends EventName>(
  name: Name,
  payload: Payload<Name>,
  relay?: Relay,
): DomainEvent<Name> {
  const time = completedTimestamp
  return { name, id: 'e', time, payload, relay, maybeDuplicate: false, traceparent: undefined }
}

function outcome(received: BulkTransferCallbackEvent, how = rules): readonly string[] {
  return bulkTransferCallbacks(received, how).map(
    ({ fspId, operation, path }) => `${fspId}: ${operation} ${path}`,
  )
}

function contents(received: BulkTransferCallbackEvent): readonly Callback['content'][] {
  return bulkTransferCallbacks(received, rules).map(({ content }) => content)
}

const prepared = (leftOut: number[], relay: Relay) =>
  event(
    'BulkTransferPrepared',
    { ...sides, expiration, preparedAt: completedTimestamp, version: '1.1', leftOut },
    relay,
  )

describe('Requests to the payee FSP of a bulk transfer', () => {
  const encrypted = (at: number) => ({
    encryptedFields: { encryptedField: [{ fieldName: `individualTransfers.${at}.ilpPacket` }] },
  })
  const request = bulkTransferRequest(3)
  const headers = Buffer.from(JSON.stringify({ date: 'today' }))
  const relay = { body: Buffer.from(JSON.stringify(request)), headers }

  test('The payee FSP receives the bytes of the payer FSP when every item is reserved', () => {
    expect(outcome(prepared([], relay))).toEqual(['bluewallet: POST /bulkTransfers /bulkTransfers'])
    expect(contents(prepared([], relay))).toEqual([{ type: 'RELAYED', relay }])
  })

  test('The payee FSP receives a message of the hub with the reserved items in their order when some are not reserved', () => {
    const { individualTransfers } = request
    expect(contents(prepared([1], relay))).toEqual([
      {
        type: 'CREATED',
        version: '1.1',
        body: {
          ...request,
          individualTransfers: [individualTransfers[0], individualTransfers[2]],
        },
      },
    ])
  })

  test('The encrypted members of items for the payee FSP are named by their new positions', () => {
    const field = {
      encryptedKey: 'YQ',
      protectedHeader: 'eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMTI4R0NNIn0',
      initializationVector: 'YQ',
      authenticationTag: 'YQ',
    }
    const header = (at: number) => {
      const [named] = encrypted(at).encryptedFields.encryptedField
      return JSON.stringify({ encryptedFields: { encryptedField: [{ ...named, ...field }] } })
    }
    const hidden = {
      ...relay,
      headers: Buffer.from(JSON.stringify({ 'fspiop-encryption': header(2) })),
    }
    const [content] = contents(prepared([1], hidden))
    const { encryption } = content as { encryption?: string }
    expect(JSON.parse(encryption ?? '{}')).toEqual(JSON.parse(header(1)))
  })
})

describe('The end of a bulk transfer', () => {
  const ended = {
    ...sides,
    completedTimestamp,
    individualTransferResults: results,
    payee: { version: '1.1', hasSpoken: true, leftOut: [1] },
  }
  const put = '/bulkTransfers/{ID} /bulkTransfers/' + id

  test('The payer FSP receives the result of every item, the payee FSP of the items that it was sent', () => {
    const completed = event('BulkTransferCompleted', ended)
    expect(outcome(completed)).toEqual([`greenbank: PUT ${put}`, `bluewallet: PUT ${put}`])
    const body = { completedTimestamp, bulkTransferState: 'COMPLETED' }
    expect(contents(completed)).toEqual([
      { type: 'CREATED', version: '1.0', body: { ...body, individualTransferResults: results } },
      {
        type: 'CREATED',
        version: '1.1',
        body: { ...body, individualTransferResults: results.slice(0, 1) },
      },
    ])
  })

  test('A payee FSP that was not sent the bulk, or has refused it, is not notified of its end', () => {
    const { payee: _payee, ...alone } = ended
    expect(outcome(event('BulkTransferRejected', alone))).toEqual([`greenbank: PUT ${put}`])
  })

  test('A payee FSP that never answered is notified of the end of the bulk unless NOTIFY_PAYEE_ON_TIMEOUT is off', () => {
    const silent = { ...ended, payee: { ...ended.payee, hasSpoken: false } }
    const completed = event('BulkTransferCompleted', silent)
    expect(outcome(completed)).toHaveLength(2)
    expect(outcome(completed, { notifyPayeeOnTimeout: false })).toEqual([`greenbank: PUT ${put}`])
  })

  test('The end of a bulk that failed as a whole is an error callback', () => {
    const { payee: _payee, ...alone } = ended
    const rejected = event('BulkTransferRejected', { ...alone, errorInformation: error })
    const path = `/bulkTransfers/${id}/error`
    expect(outcome(rejected)).toEqual([`greenbank: PUT /bulkTransfers/{ID}/error ${path}`])
    expect(contents(rejected)).toEqual([
      { type: 'CREATED', version: '1.0', body: { errorInformation: error } },
    ])
  })
})

describe('Answers to queries for a bulk transfer', () => {
  const asked = { bulkTransferId, requesterFspId: 'redmoney', version: '1.1' }

  test('The answer to a query for a bulk transfer has the state, and the results if there are any', () => {
    const payload = {
      ...asked,
      legRole: 'PAYER' as const,
      bulkTransferState: 'COMPLETED' as const,
      completedTimestamp,
      individualTransferResults: results,
    }
    const [content] = contents(event('BulkTransferQueryResponse', payload))
    expect(content).toEqual({
      type: 'CREATED',
      version: '1.1',
      body: {
        completedTimestamp,
        individualTransferResults: results,
        bulkTransferState: 'COMPLETED',
      },
    })
  })

  test('An error answer is sent to the FSP that sent the query', () => {
    const payload = { ...asked, legRole: 'REQUESTER' as const, errorInformation: error }
    const refused = event('BulkTransferPrepareRefused', { ...asked, errorInformation: error })
    const to = `redmoney: PUT /bulkTransfers/{ID}/error /bulkTransfers/${id}/error`
    expect(outcome(event('BulkTransferQueryResponse', payload))).toEqual([to])
    expect(outcome(refused)).toEqual([to])
  })
})
