/** Each service in a process of its own: the same payments, whichever process is killed meanwhile. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openApartHub, type ApartHub } from './hub/apart.ts'
import type { Fsp } from './hub/fsp.ts'
import { position } from './hub/operator.ts'
import { agree, lookUp, move, newPhoneNumber, newQuote, own } from './hub/payment.ts'

let hub: ApartHub
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  hub = await openApartHub()
  payer = await hub.join('greenbank')
  payee = await hub.join('bluewallet')
}, 180_000)

afterAll(async () => {
  await hub.stop()
}, 60_000)

test('a whole payment is made, signed and certified', async () => {
  const before = await position(hub.operator, payer.name)
  const phone = newPhoneNumber()
  await own(payee, phone)
  const found = await lookUp(payer, payee, phone)
  const { transfer } = await agree(payer, payee, newQuote(payer, payee, { payee: found }))
  const told = await move(payer, payee, transfer)
  expect(told.json()).toMatchObject({ transferState: 'COMMITTED' })
  expect(await position(hub.operator, payer.name)).toBe(before + 10)
  expect(await hub.verify()).toMatchObject({ clean: true })
})
