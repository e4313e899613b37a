/** An expired quote: it can no longer be answered, and the payer FSP continues with a new one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp } from './fsp/fsp.ts'
import { agree, at, move, newQuote, passed, termsOf, type QuoteRequest } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-expired')
  payee = await scheme.join('bluewallet-expired')
})

afterAll(() => scheme.stop())

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })
const soon = () => new Date(Date.now() + 1_500).toISOString()
const pathOf = ({ quoteId }: QuoteRequest) => `/quotes/${quoteId}`

async function ask(quote: QuoteRequest): Promise<void> {
  await payer.send('POST', '/quotes', quote, to(payee))
  await payee.await(at('POST', '/quotes', quote.quoteId))
}

/**
 * Repeats the message until the payer FSP receives the expiry of the quote: the hub's clock decides
 * when.
 */
async function awaitExpiry(quote: QuoteRequest, repeat: () => Promise<unknown>): Promise<void> {
  const isTold = at('PUT', `${pathOf(quote)}/error`)
  const after = payer.received.length
  const late = Date.now() + 20_000
  while (!payer.received.slice(after).some(isTold) && Date.now() < late) {
    await repeat()
    // A round trip through the hub serves as a pause without a timer.
    await agree(payer, payee, newQuote(payer, payee))
  }
  expect(errorOf(await payer.await(isTold, { after }))).toMatchObject({ errorCode: '3302' })
}

test('A late answer gets 3302 for the payee FSP, and the payer FSP receives the expiry when it asks', async () => {
  const quote = newQuote(payer, payee, { expiration: soon() })
  await ask(quote)
  await passed(quote.expiration ?? '')
  const { response } = termsOf(quote, payer, payee)
  await payee.send('PUT', pathOf(quote), response, to(payer))
  const late = await payee.await(at('PUT', `${pathOf(quote)}/error`))
  expect(errorOf(late)).toMatchObject({ errorCode: '3302' })
  expect(payer.received.filter(at('PUT', pathOf(quote)))).toEqual([])

  await awaitExpiry(quote, () => payer.send('GET', pathOf(quote), undefined, to(payee)))
}, 40_000)

test('A repeated request of an expired quote is answered as expired, and a new id continues the payment', async () => {
  const quote = newQuote(payer, payee, { expiration: soon() })
  await ask(quote)
  await awaitExpiry(quote, () => payer.send('POST', '/quotes', quote, to(payee)))
  expect(payee.received.filter(at('POST', '/quotes', quote.quoteId))).toHaveLength(1)

  const { transactionId } = quote
  const next = newQuote(payer, payee, { quoteId: randomUUID(), transactionId })
  const { transfer } = await agree(payer, payee, next)
  const done = await move(payer, payee, transfer)
  expect(done.json()).toMatchObject({ transferState: 'COMMITTED' })
}, 40_000)

test('A quote request that has expired on arrival is refused with 3302 and not relayed', async () => {
  const expiration = new Date(Date.now() - 1_000).toISOString()
  const quote = newQuote(payer, payee, { expiration })
  await payer.send('POST', '/quotes', quote, to(payee))
  const callback = await payer.await(at('PUT', `${pathOf(quote)}/error`))
  expect(errorOf(callback)).toMatchObject({ errorCode: '3302' })
  expect(payee.received.filter(at('POST', '/quotes', quote.quoteId))).toEqual([])
})
