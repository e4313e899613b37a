/** A quote from request to answer as its two FSPs see it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp } from './fsp/fsp.ts'
import {
  at,
  newPhoneNumber,
  newQuote,
  own,
  partyOf,
  passed,
  termsOf,
  type Quoted,
} from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let stranger: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-quote')
  payee = await scheme.join('bluewallet-quote')
  stranger = await scheme.join('redmoney-quote')
})

afterAll(() => scheme.stop())

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

async function ask(quote = newQuote(payer, payee)): Promise<Quoted> {
  const answer = await payer.send('POST', '/quotes', quote, to(payee))
  expect([answer.status, answer.body]).toEqual([202, ''])
  await payee.await(at('POST', '/quotes', quote.quoteId))
  return termsOf(quote, payer, payee)
}

async function answer({ quote, response }: Quoted, body: unknown = response) {
  const acknowledgement = await payee.send('PUT', `/quotes/${quote.quoteId}`, body, to(payer))
  expect([acknowledgement.status, acknowledgement.body]).toEqual([200, ''])
}

const isAnswerTo = ({ quote }: Quoted) => at('PUT', `/quotes/${quote.quoteId}`)
const isErrorOf = ({ quote }: Quoted) => at('PUT', `/quotes/${quote.quoteId}/error`)

test('Request and answer of a quote arrive byte for byte at the other FSP', async () => {
  const quote = newQuote(payer, payee)
  const request = `{ "extra":"\\u00fc", ${JSON.stringify(quote).slice(1)}`
  await payer.send('POST', '/quotes', request, to(payee))
  const asked = await payee.await(at('POST', '/quotes', quote.quoteId))
  expect(asked.body.toString()).toBe(request)
  const quoted = termsOf(quote, payer, payee)
  const response = JSON.stringify(quoted.response).replace(',', ' , ')
  await answer(quoted, response)
  const callback = await payer.await(isAnswerTo(quoted))
  expect(callback.body.toString()).toBe(response)
  expect(callback.headers).toMatchObject({
    'fspiop-source': 'bluewallet-quote',
    'fspiop-destination': 'greenbank-quote',
  })
})

test('Without a destination the hub finds the FSP of the payee', async () => {
  const phone = newPhoneNumber()
  await own(payee, phone)
  const { partyIdInfo } = partyOf(payee, phone)
  const { partyIdType, partyIdentifier } = partyIdInfo
  const quote = newQuote(payer, payee, { payee: { partyIdInfo: { partyIdType, partyIdentifier } } })
  await payer.send('POST', '/quotes', quote)
  const asked = await payee.await(at('POST', '/quotes', quote.quoteId))
  expect(asked.headers['fspiop-destination']).toBe('bluewallet-quote')
})

test("The payee FSP's refusal of a quote reaches the payer FSP", async () => {
  const quoted = await ask()
  const refusal = { errorInformation: { errorCode: '5103', errorDescription: 'Not today' } }
  await payee.send('PUT', `/quotes/${quoted.quote.quoteId}/error`, refusal, to(payer))
  expect(errorOf(await payer.await(isErrorOf(quoted)))).toEqual(refusal.errorInformation)
})

test('A quote for an FSP that cannot be reached until it expires is answered with 3302', async () => {
  const offline = await scheme.join('silverbank-quote')
  await offline.stop()
  const quote = newQuote(payer, offline, { expiration: new Date(Date.now() + 4_000).toISOString() })
  expect(await payer.send('POST', '/quotes', quote, to(offline))).toMatchObject({ status: 202 })
  const callback = await payer.await(at('PUT', `/quotes/${quote.quoteId}/error`), {
    timeout_ms: 20_000,
  })
  expect(errorOf(callback)).toMatchObject({ errorCode: '3302' })
}, 30_000)

test('A quote for an unknown destination is answered with 3201', async () => {
  const quote = newQuote(payer, payee)
  await payer.send('POST', '/quotes', quote, { 'fspiop-destination': 'nobody' })
  const callback = await payer.await(at('PUT', `/quotes/${quote.quoteId}/error`))
  expect(errorOf(callback)).toMatchObject({ errorCode: '3201' })
})

describe('Repeated messages of a quote', () => {
  test('A repeated request after its answer is answered again, and the payee FSP is not asked twice', async () => {
    const quoted = await ask()
    await answer(quoted)
    await payer.await(isAnswerTo(quoted))
    const after = payer.received.length
    await payer.send('POST', '/quotes', quoted.quote, to(payee))
    const again = await payer.await(isAnswerTo(quoted), { after })
    expect(again.json()).toEqual(quoted.response)
    expect(payee.received.filter(at('POST', '/quotes', quoted.quote.quoteId))).toHaveLength(1)
  })

  test('A repeated id with other content is refused with 3106, and the quote is not changed', async () => {
    const quoted = await ask()
    const changed = { ...quoted.quote, amount: { currency: 'USD', amount: '11' } }
    await payer.send('POST', '/quotes', changed, to(payee))
    expect(errorOf(await payer.await(isErrorOf(quoted)))).toMatchObject({ errorCode: '3106' })
    await answer(quoted)
    await payer.await(isAnswerTo(quoted))
  })

  test('A second answer with other content is refused with 3106 to the payee FSP', async () => {
    const quoted = await ask()
    await answer(quoted)
    await payer.await(isAnswerTo(quoted))
    const other = { ...quoted.response, transferAmount: { currency: 'USD', amount: '9' } }
    await answer(quoted, other)
    expect(errorOf(await payee.await(isErrorOf(quoted)))).toMatchObject({ errorCode: '3106' })
  })
})

describe('GET /quotes/{ID}', () => {
  test('GET of an answered quote gets the answer again', async () => {
    const quoted = await ask()
    await answer(quoted)
    await payer.await(isAnswerTo(quoted))
    const after = payer.received.length
    await payer.send('GET', `/quotes/${quoted.quote.quoteId}`, undefined, to(payee))
    const callback = await payer.await(isAnswerTo(quoted), { after })
    expect(callback.json()).toEqual(quoted.response)
  })

  test('GET of an unknown quote is answered with 3205', async () => {
    const id = randomUUID()
    await payer.send('GET', `/quotes/${id}`, undefined, to(payee))
    const callback = await payer.await(at('PUT', `/quotes/${id}/error`))
    expect(errorOf(callback)).toMatchObject({ errorCode: '3205' })
  })

  test('GET by an FSP without a part in the quote is answered with 3000', async () => {
    const quoted = await ask()
    await stranger.send('GET', `/quotes/${quoted.quote.quoteId}`, undefined, to(payee))
    const callback = await stranger.await(isErrorOf(quoted))
    expect(errorOf(callback)).toMatchObject({ errorCode: '3000' })
  })
})

describe('An answer that is not accepted', () => {
  test('An answer after the expiration of the request is refused with 3302 to the payee FSP', async () => {
    const expiration = new Date(Date.now() + 1_500).toISOString()
    const quoted = await ask(newQuote(payer, payee, { expiration }))
    await passed(expiration)
    await answer(quoted)
    expect(errorOf(await payee.await(isErrorOf(quoted)))).toMatchObject({ errorCode: '3302' })
  })

  test('An answer of another FSP is refused with 3100, and the quote is not changed', async () => {
    const quoted = await ask()
    await stranger.send('PUT', `/quotes/${quoted.quote.quoteId}`, quoted.response, to(payer))
    expect(errorOf(await stranger.await(isErrorOf(quoted)))).toMatchObject({ errorCode: '3100' })
    await answer(quoted)
    await payer.await(isAnswerTo(quoted))
  })
})
