/** An FSP falls silent, or an answer is lost on its way, at each phase of a payment. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Fsp } from './hub/fsp.ts'
import { position } from './hub/operator.ts'
import { agree, at, lookUp, move, newPhoneNumber, newQuote, own, partyOf } from './hub/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, errorOf } from './hub/transfer.ts'

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
}, 120_000)

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

describe('the answer did not come, and the payer FSP asks again', () => {
  test('of a lookup: the payee FSP is asked again, and the answer is the same', async () => {
    const first = await lookUp(payer, payee, phone)
    const after = payee.received.length
    expect(await lookUp(payer, payee, phone)).toEqual(first)
    await payee.await(at('GET', `/parties/MSISDN/${phone}`), { after })
  })

  test('of a quote: the hub tells the terms again', async () => {
    const { quote, response } = await agree(payer, payee, newQuote(payer, payee))
    const path = `/quotes/${quote.quoteId}`
    const after = payer.received.length
    await payer.send('GET', path, undefined, to(payee))
    expect((await payer.await(at('PUT', path), { after })).json()).toEqual(response)
  })

  test('of a transfer: the hub tells the outcome again', async () => {
    const { transfer } = await agree(payer, payee, newQuote(payer, payee))
    await move(payer, payee, transfer)
    const after = payer.received.length
    await payer.send('GET', `/transfers/${transfer.transferId}`, undefined, to(payee))
    const told = await payer.await(about(transfer.transferId, 'PUT'), { after })
    expect(told.json()).toMatchObject({
      transferState: 'COMMITTED',
      fulfilment: transfer.fulfilment,
    })
  })
})

describe('nobody answers', () => {
  test('a quote ends by itself: whoever asks for it later is told 3302', async () => {
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

  test('a transfer ends by itself: both FSPs are told 3303, and nothing is held any more', async () => {
    const before = await position(scheme.operator, payer.name)
    const { transfer } = await agree(payer, payee, newQuote(payer, payee), { expires_ms: 1_500 })
    await payer.send('POST', '/transfers', transfer.request, to(payee))
    for (const fsp of [payer, payee]) {
      const told = await fsp.await(about(transfer.transferId, 'PUT', true), { timeout_ms: 20_000 })
      expect(errorOf(told)).toMatchObject({ errorCode: '3303' })
    }
    expect(await position(scheme.operator, payer.name)).toBe(before)
  }, 30_000)

  test('the payee FSP is away: the lookup ends with an error', async () => {
    const away = await scheme.join('silverbank-silence')
    const gone = newPhoneNumber()
    await own(away, gone)
    await away.stop()
    const { partyIdInfo } = partyOf(away, gone)
    const path = `/parties/MSISDN/${partyIdInfo.partyIdentifier}`
    await payer.send('GET', path)
    const told = await payer.await(at('PUT', `${path}/error`), { timeout_ms: 40_000 })
    expect(errorOf(told)).toMatchObject({ errorCode: '1001' })
  }, 60_000)
})
