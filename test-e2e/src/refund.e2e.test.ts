/** A refund: a second payment in the other direction that names the first one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { agree, at, move, newQuote, partyOf } from './fsp/payment.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-refund')
  payee = await scheme.join('bluewallet-refund')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const positions = async () => [
  await position(scheme.operator, payer.name),
  await position(scheme.operator, payee.name),
]

/** The quote request for a refund of this transaction, from the payee FSP. */
function refundOf(originalTransactionId: string, refundReason?: string) {
  return newQuote(payee, payer, {
    payer: partyOf(payee, '15550000002'),
    payee: partyOf(payer, '15550000001'),
    transactionType: {
      scenario: 'REFUND',
      initiator: 'PAYER',
      initiatorType: 'BUSINESS',
      refundInfo: {
        originalTransactionId,
        ...(refundReason === undefined ? {} : { refundReason }),
      },
    },
  })
}

test('A refund names the payment that it takes back, and restores the positions', async () => {
  const before = await positions()
  const first = await agree(payer, payee, newQuote(payer, payee))
  await move(payer, payee, first.transfer)
  expect(await positions()).not.toEqual(before)

  const refund = refundOf(first.quote.transactionId, 'Returned: zu groß')
  const back = await agree(payee, payer, refund)
  const asked = await payer.await(at('POST', '/quotes', refund.quoteId))
  expect(asked.json()).toMatchObject({
    transactionType: {
      scenario: 'REFUND',
      refundInfo: {
        originalTransactionId: first.quote.transactionId,
        refundReason: 'Returned: zu groß',
      },
    },
  })
  const callback = await move(payee, payer, back.transfer)
  expect(callback.json()).toMatchObject({ transferState: 'COMMITTED' })
  expect(await positions()).toEqual(before)
})

test('When the FSP that receives the refund refuses it, no money moves', async () => {
  const first = await agree(payer, payee, newQuote(payer, payee))
  await move(payer, payee, first.transfer)
  const before = await positions()
  const refund = refundOf(first.quote.transactionId)
  await payee.send('POST', '/quotes', refund, { 'fspiop-destination': payer.name })
  await payer.await(at('POST', '/quotes', refund.quoteId))
  const path = `/quotes/${refund.quoteId}/error`
  const no = { errorInformation: { errorCode: '5103', errorDescription: 'Refunded before' } }
  await payer.send('PUT', path, no, { 'fspiop-destination': payee.name })
  expect(errorOf(await payee.await(at('PUT', path)))).toEqual(no.errorInformation)
  expect(await positions()).toEqual(before)
})

test('A refund that names no valid transaction id is refused at once', async () => {
  const refund = refundOf('the one of yesterday')
  const { status, body } = await payee.send('POST', '/quotes', refund, {
    'fspiop-destination': payer.name,
  })
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({
    errorInformation: {
      errorCode: '3101',
      errorDescription: expect.stringContaining('/transactionType/refundInfo'),
    },
  })
})
