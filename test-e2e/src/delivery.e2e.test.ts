/**
 * Callbacks to failing FSPs: each FSP receives all of its callbacks, and none delays those of
 * others.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp, Received } from './fsp/fsp.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './fsp/transfer.ts'

const refusing_ms = 20_000

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-delivery')
  payee = await scheme.join('bluewallet-delivery')
})

afterAll(() => scheme.stop())

async function pay(from: Fsp, to: Fsp) {
  const transfer = newTransfer(from, to, { amount: '1' })
  expect((await from.send('POST', '/transfers', transfer.request)).status).toBe(202)
  return transfer
}

async function payAndFulfil(from: Fsp, to: Fsp) {
  const transfer = await pay(from, to)
  await to.await(about(transfer.transferId, 'POST'))
  await to.send('PUT', `/transfers/${transfer.transferId}`, committed(transfer))
  return transfer
}

test(
  'An FSP that refuses for 20 s and then accepts receives every callback',
  async () => {
    const well = Date.now() + refusing_ms
    const taken = new Set<Received>()
    payer.answerWith((message) => {
      if (Date.now() < well) return 503
      taken.add(message)
      return 200
    })
    const transfers = []
    for (let n = 0; n < 25; n += 1) transfers.push(await payAndFulfil(payer, payee))
    for (const { transferId } of transfers) {
      const outcome = about(transferId, 'PUT')
      await payer.await((message) => outcome(message) && taken.has(message), {
        timeout_ms: refusing_ms * 3,
      })
    }
    expect(new Set([...taken].map(({ path }) => path)).size).toBe(transfers.length)
  },
  refusing_ms * 5,
)

test('An FSP that never answers delays no callback to other FSPs', async () => {
  const hanging = await scheme.join('hangbank-delivery')
  hanging.answerWith(() => new Promise(() => undefined))
  // A burst is not refused because another FSP sends only a little.
  await pay(payee, payer)
  for (let n = 0; n < 100; n += 1) await pay(payer, hanging)
  for (let n = 0; n < 20; n += 1) {
    const transfer = await payAndFulfil(payer, payee)
    await payer.await(about(transfer.transferId, 'PUT'))
  }
  expect(hanging.received.length).toBeGreaterThan(0)
})
