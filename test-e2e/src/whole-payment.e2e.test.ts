/** A payment from lookup to transfer, with certificates and signatures throughout. */
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { agree, lookUp, move, newPhoneNumber, newQuote, own } from './fsp/payment.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-whole')
  payee = await scheme.join('bluewallet-whole')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const positions = async () => [
  await position(scheme.operator, payer.name),
  await position(scheme.operator, payee.name),
]

test('The payee is found by a phone number, the terms have a fee, and the money moves', async () => {
  const [before = 0, beforeOfPayee = 0] = await positions()
  const phone = newPhoneNumber()
  await own(payee, phone)
  const found = await lookUp(payer, payee, phone)
  expect(found).toMatchObject({ name: 'Ada Example', partyIdInfo: { fspId: 'bluewallet-whole' } })

  const fee = { currency: 'USD', amount: '0.25' }
  const { transfer } = await agree(payer, payee, newQuote(payer, payee, { payee: found }), { fee })
  const callback = await move(payer, payee, transfer)
  expect(callback.json()).toMatchObject({
    transferState: 'COMMITTED',
    fulfilment: transfer.fulfilment,
  })
  expect(await positions()).toEqual([before + 10, beforeOfPayee - 10])

  const relayed = payer.received.filter(({ method }) => method === 'PUT')
  for (const { headers } of relayed) expect(headers['fspiop-signature']).toBeDefined()
})

test('The operator sees that every service is ready', async () => {
  const { status, json } = await scheme.operator.call('GET', '/health')
  const { services } = json as { services: readonly { status: string }[] }
  expect([status, services.filter(({ status: of }) => of !== 'OK')]).toEqual([200, []])
  expect(services.length).toBeGreaterThan(8)
})

test('Each FSP lists the outcomes of its payments', async () => {
  const day = new Date().toISOString().slice(0, 10)
  const states = await eventually(async () => {
    const { status, body } = await payee.send('GET', `/reconciliation?day=${day}`)
    expect(status).toBe(200)
    const { transfers } = JSON.parse(body) as { transfers: readonly { state: string }[] }
    return transfers.length > 0 ? transfers.map(({ state }) => state) : undefined
  }, 'the payment in the list of the payee')
  expect(states).toEqual(['COMMITTED'])
})
