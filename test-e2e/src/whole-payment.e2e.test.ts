/** A payment from the first question to the money's move, with certificates and signatures throughout. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Fsp } from './hub/fsp.ts'
import { position } from './hub/operator.ts'
import { agree, lookUp, move, newPhoneNumber, newQuote, own, partyOf } from './hub/payment.ts'
import { openSafeScheme, type Scheme } from './hub/scheme.ts'
import { about } from './hub/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await openSafeScheme()
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
}, 60_000)

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const positions = async () => [
  await position(scheme.operator, payer.name),
  await position(scheme.operator, payee.name),
]

test('the payee is found by a phone number, the terms name a fee, and the money moves', async () => {
  const [before = 0, beforeOfPayee = 0] = await positions()
  const phone = newPhoneNumber()
  await own(payee, phone)
  const found = await lookUp(payer, payee, phone)
  expect(found).toMatchObject({ name: 'Ada Example', partyIdInfo: { fspId: 'bluewallet' } })

  const fee = { currency: 'USD', amount: '0.25' }
  const { transfer } = await agree(payer, payee, newQuote(payer, payee, { payee: found }), { fee })
  const told = await move(payer, payee, transfer)
  expect(told.json()).toMatchObject({
    transferState: 'COMMITTED',
    fulfilment: transfer.fulfilment,
  })
  expect(await positions()).toEqual([before + 10, beforeOfPayee - 10])

  const relayed = payer.received.filter(({ method }) => method === 'PUT')
  for (const { headers } of relayed) expect(headers['fspiop-signature']).toBeDefined()
})

test('a payee that asks RESERVED is told by the hub that it may credit its customer', async () => {
  const { transfer } = await agree(payer, payee, newQuote(payer, payee))
  const told = await move(payer, payee, transfer, 'RESERVED')
  expect(told.json()).toMatchObject({ transferState: 'COMMITTED' })
  expect(told.headers['fspiop-source']).toBe('Hub')
  const confirmed = await payee.await(about(transfer.transferId, 'PATCH'))
  expect(confirmed.json()).toMatchObject({ transferState: 'COMMITTED' })
  expect(confirmed.headers['fspiop-signature']).toBeDefined()
})

describe('a refund', () => {
  test('is a payment the other way that names the one it takes back, and all is as before', async () => {
    const before = await positions()
    const first = await agree(payer, payee, newQuote(payer, payee))
    await move(payer, payee, first.transfer)

    const refund = newQuote(payee, payer, {
      payer: partyOf(payee, '15550000002'),
      payee: partyOf(payer, '15550000001'),
      transactionType: {
        scenario: 'REFUND',
        initiator: 'PAYER',
        initiatorType: 'BUSINESS',
        refundInfo: { originalTransactionId: first.quote.transactionId },
      },
    })
    const back = await agree(payee, payer, refund)
    await move(payee, payer, back.transfer)
    expect(await positions()).toEqual(before)
  })
})
