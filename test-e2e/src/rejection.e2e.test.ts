/**
 * Either FSP, and the hub itself, may refuse at each phase of a payment; no money stays reserved.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { agree, at, lookUp, newPhoneNumber, newQuote, own } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let phone: string

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-rejection')
  payee = await scheme.join('bluewallet-rejection')
  phone = newPhoneNumber()
  await own(payee, phone)
})

afterAll(async () => {
  expect(await position(scheme.operator, payer.name)).toBe(0)
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

function no(errorCode: string) {
  return { errorInformation: { errorCode, errorDescription: 'No' } }
}

test('The payee FSP may refuse a lookup', async () => {
  const path = `/parties/MSISDN/${phone}`
  await payer.send('GET', path)
  await payee.await(at('GET', path))
  await payee.send('PUT', `${path}/error`, no('5000'), to(payer))
  expect(errorOf(await payer.await(at('PUT', `${path}/error`)))).toMatchObject({
    errorCode: '5000',
  })
})

test('The payee FSP may refuse a quote', async () => {
  const quote = newQuote(payer, payee, { payee: await lookUp(payer, payee, phone) })
  await payer.send('POST', '/quotes', quote, to(payee))
  await payee.await(at('POST', '/quotes', quote.quoteId))
  await payee.send('PUT', `/quotes/${quote.quoteId}/error`, no('5103'), to(payer))
  const callback = await payer.await(at('PUT', `/quotes/${quote.quoteId}/error`))
  expect(errorOf(callback)).toMatchObject({ errorCode: '5103' })
})

test('When the payer FSP does not accept the terms, it sends no transfer, and nothing was reserved', async () => {
  const { transfer } = await agree(payer, payee, newQuote(payer, payee))
  expect(await position(scheme.operator, payer.name)).toBe(0)
  await payer.send('GET', `/transfers/${transfer.transferId}`)
  const callback = await payer.await(about(transfer.transferId, 'PUT', true))
  expect(errorOf(callback)).toMatchObject({ errorCode: '3208' })
})

test('The payee FSP may refuse a transfer that it has quoted', async () => {
  const { transfer } = await agree(payer, payee, newQuote(payer, payee))
  await payer.send('POST', '/transfers', transfer.request, to(payee))
  await payee.await(about(transfer.transferId, 'POST'))
  await payee.send('PUT', `/transfers/${transfer.transferId}/error`, no('5104'), to(payer))
  const callback = await payer.await(about(transfer.transferId, 'PUT', true))
  expect(errorOf(callback)).toMatchObject({ errorCode: '5104' })
})

test("The hub refuses a quoted transfer that exceeds the payer FSP's cover", async () => {
  const amount = { currency: 'USD', amount: '20000' }
  const { transfer } = await agree(payer, payee, newQuote(payer, payee, { amount }))
  await payer.send('POST', '/transfers', transfer.request, to(payee))
  const callback = await payer.await(about(transfer.transferId, 'PUT', true))
  expect(errorOf(callback)).toMatchObject({ errorCode: '4001' })
})
