/**
 * A bulk of quotes as its two FSPs see it: relayed messages, the hub's own answers, every repeat.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp, Received } from './fsp/fsp.ts'
import { at, newPhoneNumber, newQuote, own, partyOf, termsOf } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let stranger: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-bulkquote')
  payee = await scheme.join('bluewallet-bulkquote')
  stranger = await scheme.join('redmoney-bulkquote')
})

afterAll(() => scheme.stop())

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

type Item = ReturnType<typeof itemOf>

/** A quote as an item: members that are common to all items are outside the list. */
function itemOf(changes: Parameters<typeof newQuote>[2] = {}) {
  const { payer: _payer, expiration: _expiration, ...item } = newQuote(payer, payee, changes)
  return item
}

function newBulk(items: readonly Item[], changes: object = {}) {
  return {
    bulkQuoteId: randomUUID(),
    payer: partyOf(payer, '15550000001'),
    expiration: new Date(Date.now() + 30_000).toISOString(),
    individualQuotes: items,
    ...changes,
  }
}

type Bulk = ReturnType<typeof newBulk>

/** The payee FSP's answer to these items. */
function answerTo(items: readonly Item[]) {
  const expiration = new Date(Date.now() + 60_000).toISOString()
  const individualQuoteResults = items.map((item) => {
    const { response } = termsOf({ ...newQuote(payer, payee), ...item }, payer, payee)
    const { expiration: _common, ...terms } = response
    return { quoteId: item.quoteId, ...terms }
  })
  return { individualQuoteResults, expiration }
}

const ofBulk = ({ bulkQuoteId }: Bulk, error = '') =>
  at('PUT', `/bulkQuotes/${bulkQuoteId}${error}`)

async function asked(bulk: Bulk): Promise<Received> {
  const answer = await payer.send('POST', '/bulkQuotes', bulk, to(payee))
  expect([answer.status, answer.body]).toEqual([202, ''])
  return payee.await(at('POST', '/bulkQuotes', bulk.bulkQuoteId))
}

async function answered(bulk: Bulk, body: unknown, destination = payer.name): Promise<void> {
  const headers = { 'fspiop-destination': destination }
  const path = `/bulkQuotes/${bulk.bulkQuoteId}`
  const answer = await payee.send('PUT', path, body, headers)
  expect([answer.status, answer.body]).toEqual([200, ''])
}

/** The id of each item, with the code where it has an error. */
function resultsIn(message: Received): readonly string[] {
  const { individualQuoteResults } = message.json() as {
    readonly individualQuoteResults: readonly {
      readonly quoteId: string
      readonly errorInformation?: { readonly errorCode: string }
    }[]
  }
  return individualQuoteResults.map(({ quoteId, errorInformation }) =>
    errorInformation === undefined ? quoteId : `${quoteId} ${errorInformation.errorCode}`,
  )
}

test('Request and answer of a bulk quote arrive byte for byte at the other FSP', async () => {
  const bulk = newBulk([itemOf(), itemOf()])
  const request = `{ "extra":"\\u00fc", ${JSON.stringify(bulk).slice(1)}`
  await payer.send('POST', '/bulkQuotes', request, to(payee))
  const question = await payee.await(at('POST', '/bulkQuotes', bulk.bulkQuoteId))
  expect(question.body.toString()).toBe(request)
  expect(question.headers).toMatchObject({ 'fspiop-source': payer.name })
  const response = JSON.stringify(answerTo(bulk.individualQuotes)).replace(',', ' , ')
  await answered(bulk, response)
  const callback = await payer.await(ofBulk(bulk))
  expect(callback.body.toString()).toBe(response)
  expect(callback.headers).toMatchObject({ 'fspiop-source': payee.name })
})

test('A bulk quote of 1,000 items is one message in each direction', async () => {
  const bulk = newBulk(Array.from({ length: 1_000 }, () => itemOf()))
  const question = await asked(bulk)
  expect((question.json() as Bulk).individualQuotes).toHaveLength(1_000)
  await answered(bulk, answerTo(bulk.individualQuotes))
  const callback = await payer.await(ofBulk(bulk))
  expect(resultsIn(callback)).toEqual(bulk.individualQuotes.map(({ quoteId }) => quoteId))
}, 30_000)

test.each([
  [1_001, '3103'],
  [0, '3100'],
])('A bulk quote of %i items is refused at once', async (count, code) => {
  const bulk = newBulk(Array.from({ length: count }, () => itemOf()))
  const answer = await payer.send('POST', '/bulkQuotes', bulk, to(payee))
  expect(answer.status).toBe(400)
  expect(answer.body).toContain(code)
})

describe('A bulk quote with a payee at another FSP', () => {
  test('An item whose payee is at another FSP is not sent to the payee FSP, and the hub answers it', async () => {
    const elsewhere = itemOf({ payee: partyOf(stranger, '15550000003') })
    const bulk = newBulk([itemOf(), elsewhere, itemOf()])
    const [first, , last] = bulk.individualQuotes
    const question = await asked(bulk)
    expect((question.json() as Bulk).individualQuotes).toEqual([first, last])
    expect(question.headers).toMatchObject({
      'fspiop-source': 'Hub',
      'fspiop-destination': payee.name,
      accept: 'application/vnd.interoperability.bulkQuotes+json;version=1.1',
    })
    const remaining = bulk.individualQuotes.filter((item) => item !== elsewhere)
    await answered(bulk, answerTo(remaining), 'Hub')
    const callback = await payer.await(ofBulk(bulk))
    expect(callback.headers).toMatchObject({ 'fspiop-source': 'Hub' })
    expect(resultsIn(callback)).toEqual([
      first?.quoteId,
      `${elsewhere.quoteId} 3100`,
      last?.quoteId,
    ])
    const after = payer.received.length
    await payer.send('GET', `/bulkQuotes/${bulk.bulkQuoteId}`, undefined, to(payee))
    const again = await payer.await(ofBulk(bulk), { after })
    expect(again.body).toEqual(callback.body)
  })
})

test('Without a destination the hub finds the FSP of the payees', async () => {
  const phone = newPhoneNumber()
  await own(payee, phone)
  const { partyIdType, partyIdentifier } = partyOf(payee, phone).partyIdInfo
  const bulk = newBulk([itemOf({ payee: { partyIdInfo: { partyIdType, partyIdentifier } } })])
  await payer.send('POST', '/bulkQuotes', bulk)
  const question = await payee.await(at('POST', '/bulkQuotes', bulk.bulkQuoteId))
  expect(question.headers['fspiop-destination']).toBe(payee.name)
})

describe('A repeated id of a bulk quote', () => {
  test('A repeated bulk quote with the same content is answered again after its answer', async () => {
    const bulk = newBulk([itemOf()])
    await asked(bulk)
    await answered(bulk, answerTo(bulk.individualQuotes))
    const callback = await payer.await(ofBulk(bulk))
    const after = payer.received.length
    await payer.send('POST', '/bulkQuotes', bulk, to(payee))
    const again = await payer.await(ofBulk(bulk), { after })
    expect(again.body).toEqual(callback.body)
  })

  test('A repeated bulk quote with other content is refused with 3106, whichever FSP sends it', async () => {
    const bulk = newBulk([itemOf()])
    await asked(bulk)
    await payer.send('POST', '/bulkQuotes', { ...bulk, individualQuotes: [itemOf()] }, to(payee))
    expect(errorOf(await payer.await(ofBulk(bulk, '/error')))).toMatchObject({ errorCode: '3106' })
    const others = { ...bulk, payer: partyOf(stranger, '15550000004') }
    await stranger.send('POST', '/bulkQuotes', others, to(payee))
    expect(errorOf(await stranger.await(ofBulk(bulk, '/error')))).toMatchObject({
      errorCode: '3106',
    })
  })
})

describe('GET /bulkQuotes/{ID}', () => {
  test('GET of a bulk quote is relayed to the payee FSP while it has not answered', async () => {
    const bulk = newBulk([itemOf()])
    await asked(bulk)
    await payer.send('GET', `/bulkQuotes/${bulk.bulkQuoteId}`)
    const question = await payee.await(at('GET', `/bulkQuotes/${bulk.bulkQuoteId}`))
    expect(question.headers).toMatchObject({ 'fspiop-source': payer.name })
  })

  test('GET of an unknown bulk quote is answered with 3209, and by an FSP without a part in it with 3000', async () => {
    const unknown = newBulk([itemOf()])
    await payer.send('GET', `/bulkQuotes/${unknown.bulkQuoteId}`)
    expect(errorOf(await payer.await(ofBulk(unknown, '/error')))).toMatchObject({
      errorCode: '3209',
    })
    const bulk = newBulk([itemOf()])
    await asked(bulk)
    await stranger.send('GET', `/bulkQuotes/${bulk.bulkQuoteId}`)
    expect(errorOf(await stranger.await(ofBulk(bulk, '/error')))).toMatchObject({
      errorCode: '3000',
    })
  })
})

test("The payee FSP's refusal of the whole bulk quote reaches the payer FSP", async () => {
  const bulk = newBulk([itemOf(), itemOf()])
  await asked(bulk)
  const refusal = { errorInformation: { errorCode: '5103', errorDescription: 'Not today' } }
  await payee.send('PUT', `/bulkQuotes/${bulk.bulkQuoteId}/error`, refusal, to(payer))
  expect(errorOf(await payer.await(ofBulk(bulk, '/error')))).toEqual(refusal.errorInformation)
})

test('The operator finds a bulk quote with its items and its history', async () => {
  const elsewhere = itemOf({ payee: partyOf(stranger, '15550000003') })
  const bulk = newBulk([itemOf(), elsewhere])
  const [first] = bulk.individualQuotes
  const path = `/bulkQuotes/${bulk.bulkQuoteId}`
  await asked(bulk)
  const open = await scheme.operator.call('GET', path)
  expect(open.json).toMatchObject({
    state: 'PENDING',
    items: 2,
    itemsRefused: 1,
    individualQuotes: [{ state: 'PENDING' }, { state: 'REJECTED', error: { errorCode: '3100' } }],
  })
  await answered(bulk, answerTo(bulk.individualQuotes.slice(0, 1)), 'Hub')
  await payer.await(ofBulk(bulk))
  const { json } = await scheme.operator.call('GET', path)
  const { findings, steps } = json as {
    readonly findings: readonly string[]
    readonly steps: readonly { readonly type: string; readonly message?: string }[]
  }
  expect(json).toMatchObject({
    state: 'ACCEPTED',
    individualQuotes: [
      { quoteId: first?.quoteId, state: 'ACCEPTED', transferAmount: expect.anything() },
      { quoteId: elsewhere.quoteId, state: 'REJECTED', reason: 'ITEMS' },
    ],
  })
  expect(findings[0]).toMatch(/^1 of 2 payments have terms, good until .*; the hub refused 1\.$/)
  expect(steps.filter(({ type }) => type === 'MESSAGE').map(({ message }) => message)).toEqual([
    'POST /bulkQuotes',
    'PUT /bulkQuotes/{ID}',
  ])
  const found = await scheme.operator.call('GET', `/bulkQuotes?fspId=${payer.name}&limit=1`)
  expect(found.json).toMatchObject({ bulkQuotes: [{ bulkQuoteId: bulk.bulkQuoteId }] })
  const unknown = await scheme.operator.call('GET', `/bulkQuotes/${randomUUID()}`)
  expect(unknown.status).toBe(404)
})

test('A bulk quote to an FSP that cannot be reached until it expires is answered with 3302', async () => {
  const offline = await scheme.join('silverbank-bulkquote')
  await offline.stop()
  const expiration = new Date(Date.now() + 4_000).toISOString()
  const bulk = newBulk([itemOf({ payee: partyOf(offline, '15550000005') })], { expiration })
  expect(await payer.send('POST', '/bulkQuotes', bulk, to(offline))).toMatchObject({ status: 202 })
  const callback = await payer.await(ofBulk(bulk, '/error'), { timeout_ms: 20_000 })
  expect(errorOf(callback)).toMatchObject({ errorCode: '3302' })
}, 30_000)
