/**
 * A new FSP, from its invitation to its first payment, over the APIs alone and without a restart.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { enrol } from './operator/credentials.ts'
import { openFsp, type Fsp } from './fsp/fsp.ts'
import { answered, deposit } from './operator/operator.ts'
import { agree, at, lookUp, move, newPhoneNumber, newQuote, own } from './fsp/payment.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'

let scheme: Scheme
let payee: Fsp
let newcomer: Fsp | undefined

interface Readiness {
  readonly ready: boolean
  readonly items: readonly { readonly item: string; readonly ok: boolean; readonly text: string }[]
}

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payee = await scheme.join('bluewallet-onboarding')
})

afterAll(async () => {
  await newcomer?.stop()
  await scheme.stop()
})

const name = 'newbank-onboarding'
const path = `/participants/${name}`

/** The missing steps that the hub reports. */
async function lacking(): Promise<readonly string[]> {
  const { items } = await answered<Readiness>(scheme.operator.call('GET', `${path}/readiness`))
  return items.filter(({ ok }) => !ok).map(({ item }) => item)
}

test('The hub reports missing steps as sentences until none is left, and then the FSP can pay', async () => {
  const { operator, hub } = scheme
  await answered(operator.call('POST', '/participants', { name, currency: 'USD' }))
  expect(await lacking()).toEqual(
    expect.arrayContaining(['keys', 'endpoints', 'limits', 'identity', 'ping', 'active']),
  )

  const fsp = await openFsp(name, () => hub.urls.fsp, await enrol(operator, name))
  newcomer = fsp
  expect(await lacking()).not.toEqual(expect.arrayContaining(['keys']))

  const endpoint = { type: 'FSPIOP_CALLBACK_URL', value: fsp.url }
  await answered(operator.call('POST', `${path}/endpoints`, endpoint))
  const limit = { type: 'NET_DEBIT_CAP', value: '1000' }
  await answered(
    operator.call('POST', `${path}/initialPositionAndLimits`, { currency: 'USD', limit }),
  )
  expect(await lacking()).not.toEqual(expect.arrayContaining(['endpoints']))

  const pingId = randomUUID()
  const pinged = await fsp.send('POST', '/pings', { pingId })
  expect([pinged.status, pinged.body]).toEqual([202, ''])
  const answer = await fsp.await(at('PUT', `/pings/${pingId}`))
  expect(answer.headers['fspiop-signature']).toBeDefined()

  await answered(operator.call('PUT', path, { isActive: true }))
  await deposit(operator, name, '1000')
  await expect(untilReady()).resolves.toEqual([])
  await pay(fsp)
}, 60_000)

/** The result of the hub's own ping is on its way when the FSP has answered it. */
async function untilReady(): Promise<readonly string[]> {
  const late = Date.now() + 10_000
  for (;;) {
    const missing = await lacking()
    if (missing.length === 0 || Date.now() > late) return missing
  }
}

/** Lookup, quote and transfer, every message signed. */
async function pay(payer: Fsp): Promise<void> {
  const phone = newPhoneNumber()
  await own(payee, phone)
  const quote = newQuote(payer, payee, { payee: await lookUp(payer, payee, phone) })
  const { transfer } = await agree(payer, payee, quote)
  const callback = await move(payer, payee, transfer)
  expect(callback.json()).toMatchObject({ transferState: 'COMMITTED' })
}
