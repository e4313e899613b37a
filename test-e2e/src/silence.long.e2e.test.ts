/** An FSP does not answer, or an answer is lost in transit, at each phase of a payment. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { agree, at, lookUp, move, newPhoneNumber, newQuote, own, partyOf } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let phone: string

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-silence')
  payee = await scheme.join('bluewallet-silence')
  phone = newPhoneNumber()
  await own(payee, phone)
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

describe('After a lost answer the payer FSP asks again', () => {
  test('A repeated lookup is sent to the payee FSP again, and its answer is the same', async () => {
    const first = await lookUp(payer, payee, phone)
    const after = payee.received.length
    expect(await lookUp(payer, payee, phone)).toEqual(first)
    await payee.await(at('GET', `/parties/MSISDN/${phone}`), { after })
  })

  test('GET of a quote gets the terms again', async () => {
    const { quote, response } = await agree(payer, payee, newQuote(payer, payee))
    const path = `/quotes/${quote.quoteId}`
    const after = payer.received.length
    await payer.send('GET', path, undefined, to(payee))
    expect((await payer.await(at('PUT', path), { after })).json()).toEqual(response)
  })

  test('GET of a transfer gets the outcome again', async () => {
    const { transfer } = await agree(payer, payee, newQuote(payer, payee))
    await move(payer, payee, transfer)
    const after = payer.received.length
    await payer.send('GET', `/transfers/${transfer.transferId}`, undefined, to(payee))
    const callback = await payer.await(about(transfer.transferId, 'PUT'), { after })
    expect(callback.json()).toMatchObject({
      transferState: 'COMMITTED',
      fulfilment: transfer.fulfilment,
    })
  })
})

describe('Without an answer', () => {
  test('An unanswered quote expires, and a GET after that is answered with 3302', async () => {
    const expiration = new Date(Date.now() + 1_500).toISOString()
    const quote = newQuote(payer, payee, { expiration })
    const path = `/quotes/${quote.quoteId}`
    await payer.send('POST', '/quotes', quote, to(payee))
    await payee.await(at('POST', '/quotes', quote.quoteId))
    const isRefused = at('PUT', `${path}/error`)
    const late = Date.now() + 20_000
    while (!payer.received.some(isRefused) && Date.now() < late) {
      await payer.send('GET', path, undefined, to(payee))
      await lookUp(payer, payee, phone)
    }
    expect(errorOf(await payer.await(isRefused))).toMatchObject({ errorCode: '3302' })
  }, 30_000)

  test('An unanswered transfer expires: both FSPs receive 3303, and the reservation is released', async () => {
    const before = await position(scheme.operator, payer.name)
    const { transfer } = await agree(payer, payee, newQuote(payer, payee), { expires_ms: 1_500 })
    await payer.send('POST', '/transfers', transfer.request, to(payee))
    for (const fsp of [payer, payee]) {
      const callback = await fsp.await(about(transfer.transferId, 'PUT', true), {
        timeout_ms: 20_000,
      })
      expect(errorOf(callback)).toMatchObject({ errorCode: '3303' })
    }
    expect(await position(scheme.operator, payer.name)).toBe(before)
  }, 30_000)

  test('A lookup at an FSP that cannot be reached ends with 1001', async () => {
    const away = await scheme.join('silverbank-silence')
    const gone = newPhoneNumber()
    await own(away, gone)
    await away.stop()
    const { partyIdInfo } = partyOf(away, gone)
    const path = `/parties/MSISDN/${partyIdInfo.partyIdentifier}`
    await payer.send('GET', path)
    const callback = await payer.await(at('PUT', `${path}/error`), { timeout_ms: 40_000 })
    expect(errorOf(callback)).toMatchObject({ errorCode: '1001' })
  }, 60_000)
})
