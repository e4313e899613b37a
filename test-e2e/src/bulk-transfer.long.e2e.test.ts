/**
 * A bulk transfer as its two FSPs see it: every outcome, every repeat, and the state of the books.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  aboutBulk,
  newBulk,
  paid,
  quoted,
  resultsIn,
  type Bulk,
  type BulkOutcome,
} from './fsp/bulk.ts'
import type { Fsp, Received } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { openSchemeOfFsps, shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { about, errorOf, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let poor: Fsp
let stranger: Fsp

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-bulk')
  payee = await scheme.join('bluewallet-bulk')
  poor = await scheme.join('poorbank-bulk', { funds: '25' })
  stranger = await scheme.join('redmoney-bulk')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

async function ask(bulk: Bulk, from = payer): Promise<void> {
  await quoted(bulk, from, payee)
  const answer = await from.send('POST', '/bulkTransfers', bulk.request, to(payee))
  expect([answer.status, answer.body]).toEqual([202, ''])
}

async function prepared(bulk: Bulk, from = payer): Promise<Received> {
  await ask(bulk, from)
  return payee.await(aboutBulk(bulk.bulkTransferId, 'POST'))
}

/** Repeats the request when the hub answers that it could not store it in time. */
async function answered(bulk: Bulk, body: unknown, { by = payee, path = '' } = {}): Promise<void> {
  const own = `/bulkTransfers/${bulk.bulkTransferId}${path}`
  const destination = { 'fspiop-destination': bulk.request.payerFsp }
  let answer = await by.send('PUT', own, body, destination)
  while (answer.status === 503) answer = await by.send('PUT', own, body, destination)
  expect([answer.status, answer.body]).toEqual([200, ''])
}

const outcome = (fsp: Fsp, bulk: Bulk, after = 0) =>
  fsp.await(aboutBulk(bulk.bulkTransferId, 'PUT'), { after })
/**
 * The outcome of a bulk in which an item expires. On Kafka that is at least 8 s after its
 * expiration: 1 s of grace, 5 s in which the answer of the payee FSP may still be in transit to the
 * log, 1 s between the clocks of two machines, and up to 1 s to the next sweep.
 */
const outcomeAfterExpiry = (fsp: Fsp, bulk: Bulk) =>
  fsp.await(aboutBulk(bulk.bulkTransferId, 'PUT'), { timeout_ms: 30_000 })
const failure = (fsp: Fsp, bulk: Bulk, after = 0) =>
  fsp.await(aboutBulk(bulk.bulkTransferId, 'PUT', true), { after })

async function shownTo(fsp: Fsp, { bulkTransferId }: Bulk, error = false): Promise<Received> {
  const after = fsp.received.length
  await fsp.send('GET', `/bulkTransfers/${bulkTransferId}`)
  return fsp.await(aboutBulk(bulkTransferId, 'PUT', error), { after })
}

test('A bulk is paid item by item: the request arrives byte for byte, and both FSPs receive the results', async () => {
  const before = await position(scheme.operator, payer.name)
  const bulk = newBulk(payer, payee, ['10', '20', '30'])
  const request = await prepared(bulk)
  expect(request.body.toString()).toBe(JSON.stringify(bulk.request))
  expect(request.headers).toMatchObject({
    'fspiop-source': payer.name,
    'fspiop-destination': payee.name,
    'fspiop-signature': expect.stringContaining('protectedHeader'),
  })
  expect((await shownTo(payer, bulk)).json()).toEqual({ bulkTransferState: 'ACCEPTED' })
  expect(await position(scheme.operator, payer.name)).toBe(before + 60)

  await answered(bulk, paid(bulk.items))
  for (const fsp of [payer, payee]) {
    const callback = await fsp.await(
      (message) => aboutBulk(bulk.bulkTransferId, 'PUT')(message) && resultsIn(message).length > 0,
    )
    expect(resultsIn(callback)).toEqual(['paid', 'paid', 'paid'])
    expect((callback.json() as BulkOutcome).bulkTransferState).toBe('COMPLETED')
    expect(callback.headers).toMatchObject({
      'fspiop-source': 'Hub',
      'fspiop-uri': `/bulkTransfers/${bulk.bulkTransferId}`,
      'fspiop-signature': expect.stringContaining('protectedHeader'),
    })
  }
  const item = bulk.items[0]?.transferId ?? ''
  await payer.send('GET', `/transfers/${item}`)
  const shown = await payer.await(about(item, 'PUT'))
  expect(shown.json()).toMatchObject({ transferState: 'COMMITTED' })
})

test('No FSP receives a callback for a single item of a bulk', () => {
  const paths = [...payer.received, ...payee.received].map(
    ({ method, path }) => `${method} ${path}`,
  )
  expect(paths.filter((path) => path.startsWith('POST /transfers'))).toEqual([])
})

test('The operator sees the progress of a bulk, each of its items, and the story of one', async () => {
  const bulk = newBulk(payer, payee, ['1', '2'])
  const [first, second] = bulk.items
  const path = `/bulkTransfers/${bulk.bulkTransferId}`
  await prepared(bulk)
  const progress = await scheme.operator.call('GET', path)
  expect(progress.json).toMatchObject({ state: 'ACCEPTED', items: 2, open: 2, committed: 0 })
  await answered(bulk, paid(bulk.items))
  await outcome(payer, bulk)
  const { json } = await scheme.operator.call('GET', path)
  expect(json).toMatchObject({
    state: 'COMPLETED',
    committed: 2,
    individualTransfers: [
      { transferId: first?.transferId, state: 'COMMITTED', amount: { amount: 1 } },
      { transferId: second?.transferId, state: 'COMMITTED', amount: { amount: 2 } },
    ],
  })
  const found = await scheme.operator.call('GET', `/bulkTransfers?fspId=${payer.name}&limit=1`)
  const { bulkTransferId } = bulk
  expect(found.json).toMatchObject({ bulkTransfers: [{ bulkTransferId }] })
  const { bulkQuoteId } = bulk.request
  const ofQuote = await scheme.operator.call('GET', `/bulkTransfers?bulkQuoteId=${bulkQuoteId}`)
  expect(ofQuote.json).toMatchObject({ bulkTransfers: [{ bulkTransferId, bulkQuoteId }] })
  const quote = await scheme.operator.call('GET', `/bulkQuotes/${bulkQuoteId}`)
  expect(quote.json).toMatchObject({ bulkTransfers: [{ bulkTransferId, committed: 2 }] })
  const story = await scheme.operator.call('GET', `/transfers/${second?.transferId}/story`)
  expect(story.json).toMatchObject({ state: 'COMMITTED', bulkTransferId: bulk.bulkTransferId })
  const unknown = await scheme.operator.call('GET', `/bulkTransfers/${first?.transferId}`)
  expect(unknown.status).toBe(404)
})

describe('A bulk with too little cover', () => {
  test('With cover for some items the hub sends those to the payee FSP and completes the bulk', async () => {
    const bulk = newBulk(poor, payee, ['10', '20', '5', '10', '5'])
    const request = await prepared(bulk, poor)
    expect(request.headers).toMatchObject({ 'fspiop-source': 'Hub' })
    const { individualTransfers } = request.json() as Bulk['request']
    const ids = bulk.request.individualTransfers.map(({ transferId }) => transferId)
    expect(individualTransfers.map(({ transferId }) => transferId)).toEqual([
      ids[0],
      ids[2],
      ids[3],
    ])
    await answered(bulk, paid(bulk.items.filter((_item, at) => [0, 2, 3].includes(at))))
    expect(resultsIn(await outcome(poor, bulk))).toEqual(['paid', '4001', 'paid', 'paid', '4001'])
    expect(resultsIn(await outcome(payee, bulk))).toEqual(['paid', 'paid', 'paid'])
  })

  test('Without cover for any item the bulk is rejected, and the payee FSP is not asked', async () => {
    const bulk = newBulk(poor, payee, ['100', '200'])
    await ask(bulk, poor)
    const callback = await outcome(poor, bulk)
    expect(callback.json()).toMatchObject({ bulkTransferState: 'REJECTED' })
    expect(resultsIn(callback)).toEqual(['4001', '4001'])
    expect(payee.received.some(aboutBulk(bulk.bulkTransferId, 'POST'))).toBe(false)
  })

  test('A bulk to an FSP without an address for bulk transfers is refused with 3201, and nothing is reserved', async () => {
    const mute = await scheme.join('mutebank-bulk', {
      endpoints: [['FSPIOP_CALLBACK_URL_BULK_QUOTES', '']],
    })
    const bulk = newBulk(payer, mute, ['1', '2'])
    await quoted(bulk, payer, mute)
    const before = await position(scheme.operator, payer.name)
    await payer.send('POST', '/bulkTransfers', bulk.request, to(mute))
    expect(errorOf(await failure(payer, bulk)).errorCode).toBe('3201')
    expect(await position(scheme.operator, payer.name)).toBe(before)
  })
})

describe("The payee FSP's answer to a bulk", () => {
  test('The payee FSP may refuse an item and leave another one out', async () => {
    const bulk = newBulk(payer, payee, ['1', '2', '3'], { expires_ms: 3_000 })
    await prepared(bulk)
    const { individualTransferResults, ...body } = paid(bulk.items.slice(0, 1))
    const errorInformation = { errorCode: '5104', errorDescription: 'Payee rejected' }
    const refused = { transferId: bulk.items[1]?.transferId, errorInformation }
    await answered(bulk, {
      ...body,
      individualTransferResults: [...individualTransferResults, refused],
    })
    const callback = await outcomeAfterExpiry(payer, bulk)
    expect(callback.json()).toMatchObject({ bulkTransferState: 'COMPLETED' })
    expect(resultsIn(callback)).toEqual(['paid', '5104', '3303'])
  })

  test("Extensions of the payee FSP's result for an item reach the payer FSP, also by GET", async () => {
    const bulk = newBulk(payer, payee, ['1', '2'])
    await prepared(bulk)
    const [first, second] = bulk.items
    const extensionList = (value: string) => ({ extension: [{ key: 'receipt', value }] })
    const errorInformation = { errorCode: '5104', errorDescription: 'Payee rejected' }
    const individualTransferResults = [
      {
        transferId: first?.transferId,
        fulfilment: first?.fulfilment,
        extensionList: extensionList('A-1'),
      },
      { transferId: second?.transferId, errorInformation, extensionList: extensionList('A-2') },
    ]
    await answered(bulk, { ...paid([]), individualTransferResults })
    const callbacks = [await outcome(payer, bulk), await shownTo(payer, bulk)]
    for (const message of callbacks)
      expect(message.json()).toMatchObject({ individualTransferResults })
  })

  test('The payee FSP may refuse the bulk: the payer FSP receives its error, and GET shows REJECTED', async () => {
    const bulk = newBulk(payer, payee, ['1', '2'])
    await prepared(bulk)
    const errorInformation = { errorCode: '5001', errorDescription: 'no liquidity' }
    await answered(bulk, { errorInformation }, { path: '/error' })
    expect(errorOf(await failure(payer, bulk))).toMatchObject({ errorCode: '5001' })
    expect((await shownTo(payer, bulk)).json()).toMatchObject({ bulkTransferState: 'REJECTED' })
  })

  test('When the payee FSP does not answer, both FSPs receive 3303 for each item', async () => {
    const bulk = newBulk(payer, payee, ['1', '2'], { expires_ms: 1_500 })
    await prepared(bulk)
    for (const fsp of [payer, payee]) {
      const callback = await outcomeAfterExpiry(fsp, bulk)
      expect(callback.json()).toMatchObject({ bulkTransferState: 'COMPLETED' })
      expect(resultsIn(callback)).toEqual(['3303', '3303'])
    }
  })

  test('A repeated answer of the payee FSP gets the outcome again, and one with other content gets 3106', async () => {
    const bulk = newBulk(payer, payee, ['1'])
    await prepared(bulk)
    const body = paid(bulk.items)
    await answered(bulk, body)
    await outcome(payee, bulk)
    const after = payee.received.length
    await answered(bulk, body)
    expect(resultsIn(await outcome(payee, bulk, after))).toEqual(['paid'])
    await answered(bulk, { ...body, bulkTransferState: 'REJECTED' })
    expect(errorOf(await failure(payee, bulk))).toMatchObject({ errorCode: '3106' })
  })
})

test('A bulk that names an unknown bulk quote is refused with 3209', async () => {
  const bulk = newBulk(payer, payee, ['1'])
  await payer.send('POST', '/bulkTransfers', bulk.request, to(payee))
  expect(errorOf(await failure(payer, bulk))).toMatchObject({ errorCode: '3209' })
  expect(payee.received.some(aboutBulk(bulk.bulkTransferId, 'POST'))).toBe(false)
})

describe('Reused ids of bulks and items', () => {
  test('A repeated bulk with the same content gets the results again, and one with other content gets 3106', async () => {
    const bulk = newBulk(payer, payee, ['1'])
    await prepared(bulk)
    await answered(bulk, paid(bulk.items))
    await outcome(payer, bulk)
    const after = payer.received.length
    await ask(bulk)
    expect(resultsIn(await outcome(payer, bulk, after))).toEqual(['paid'])
    const other = newBulk(payer, payee, ['2']).request
    await ask({ ...bulk, request: { ...other, bulkTransferId: bulk.bulkTransferId } })
    expect(errorOf(await failure(payer, bulk))).toMatchObject({ errorCode: '3106' })
  })

  test('The id of an item is used once, single transfers included', async () => {
    const single = newTransfer(payer, payee)
    await payer.send('POST', '/transfers', single.request, to(payee))
    await payee.await(about(single.transferId, 'POST'))
    const bulk = newBulk(payer, payee, ['1', '1'])
    const [first, second] = bulk.request.individualTransfers
    const individualTransfers = [{ ...first, transferId: single.transferId }, second]
    await ask({ ...bulk, request: { ...bulk.request, individualTransfers } as Bulk['request'] })
    await payee.await(aboutBulk(bulk.bulkTransferId, 'POST'))
    await answered(bulk, paid(bulk.items.slice(1)))
    expect(resultsIn(await outcome(payer, bulk))).toEqual(['3106', 'paid'])

    const again = newTransfer(payer, payee)
    const transferId = bulk.items[1]?.transferId ?? ''
    await payer.send('POST', '/transfers', { ...again.request, transferId }, to(payee))
    expect(errorOf(await payer.await(about(transferId, 'PUT', true)))).toMatchObject({
      errorCode: '3106',
    })
  })
})

test('An FSP without a part in a bulk gets no information about it and cannot answer it', async () => {
  const bulk = newBulk(payer, payee, ['1'])
  await prepared(bulk)
  expect(errorOf(await shownTo(stranger, bulk, true))).toMatchObject({ errorCode: '3000' })
  const after = stranger.received.length
  await answered(bulk, paid(bulk.items), { by: stranger })
  expect(errorOf(await failure(stranger, bulk, after))).toMatchObject({ errorCode: '3100' })
  const unknown = newBulk(payer, payee, ['1'])
  expect(errorOf(await shownTo(payer, unknown, true))).toMatchObject({ errorCode: '3210' })
  await answered(bulk, paid(bulk.items))
  expect(resultsIn(await outcome(payer, bulk))).toEqual(['paid'])
})

/** For two starts of all services on a slow machine; what is done does not wait. */
const slow_ms = 300_000

test(
  'A bulk of 1,000 is paid completely although the hub is killed twice meanwhile',
  async () => {
    const own = await openSchemeOfFsps()
    try {
      const [from, by] = [await own.join('greenbank'), await own.join('bluewallet')]
      const amounts = Array.from({ length: 1_000 }, () => '0.01')
      const bulk = newBulk(from, by, amounts, { expires_ms: slow_ms })
      await quoted(bulk, from, by)
      await from.send('POST', '/bulkTransfers', bulk.request, to(by))
      await own.killAndRestart()
      const isAsked = aboutBulk(bulk.bulkTransferId, 'POST')
      await by.await(isAsked, { timeout_ms: slow_ms })
      await answered(bulk, paid(bulk.items), { by })
      await own.killAndRestart()
      const isTold = aboutBulk(bulk.bulkTransferId, 'PUT')
      const results = resultsIn(await from.await(isTold, { timeout_ms: slow_ms }))
      expect([results.length, new Set(results)]).toEqual([1_000, new Set(['paid'])])
      expect(await position(own.operator, from.name)).toBe(10)
      expect(await own.verify()).toMatchObject({ clean: true, compared: { bulkTransfers: 1 } })
    } finally {
      await own.stop()
    }
  },
  2 * slow_ms,
)
