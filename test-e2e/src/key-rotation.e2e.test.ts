/**
 * Keys are replaced during payments: a new key is added, the old one ended, and no message is
 * refused.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { registerKey, signer, type SigningKey } from './operator/credentials.ts'
import type { HubResponse, Fsp } from './fsp/fsp.ts'
import { answered } from './operator/operator.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer } from './fsp/transfer.ts'

const turns = 5
const payments_per_turn = 20
const payers = 4
/** A limit that a slow machine meets as well. */
const limit = { timeout_ms: 60_000 }

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-rotation')
  payee = await scheme.join('bluewallet-rotation')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

/** Both FSPs send continuously; `sent` are the messages that the hub has not acknowledged yet. */
function openLoad() {
  const sent = new Set<Promise<HubResponse>>()
  const refusals: string[] = []
  let paid = 0
  let stopping = false

  async function submit(fsp: Fsp, method: string, path: string, body: unknown, other: Fsp) {
    const answer = fsp.send(method, path, body, to(other))
    sent.add(answer)
    const { status, body: text } = await answer
    sent.delete(answer)
    if (status > 202) refusals.push(`${method} ${path}: ${text}`)
  }

  async function payContinuously(): Promise<void> {
    while (!stopping) {
      const transfer = newTransfer(payer, payee, { amount: '0.01', expires_ms: 60_000 })
      await submit(payer, 'POST', '/transfers', transfer.request, payee)
      await payee.await(about(transfer.transferId, 'POST'), limit)
      const path = `/transfers/${transfer.transferId}`
      await submit(payee, 'PUT', path, committed(transfer), payer)
      await payer.await(about(transfer.transferId, 'PUT'), limit)
      paid += 1
    }
  }

  const load = Promise.all(Array.from({ length: payers }, payContinuously))
  return {
    refusals,
    paid: () => paid,
    /** Waits until the hub has checked all messages that were signed before this call. */
    judged: () => Promise.all(sent),
    stop: async () => {
      stopping = true
      await load
    },
  }
}

/** Registers a new key; repeats the call when the operator is asked to repeat it later. */
async function newKey(fsp: Fsp): Promise<SigningKey> {
  const late = Date.now() + limit.timeout_ms
  for (;;) {
    try {
      return await registerKey(scheme.operator, fsp.name)
    } catch (error) {
      if (!String(error).includes('"2003"') || Date.now() > late) throw error
    }
  }
}

test("Repeated rotation of both FSPs' keys under load causes no refusal of a message", async () => {
  const { operator } = scheme
  const load = openLoad()
  const old: string[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const keys = await Promise.all([newKey(payer), newKey(payee)])
    const ended = old.splice(0)
    for (const [at, fsp] of [payer, payee].entries()) {
      const key = keys[at]
      if (key === undefined) throw new Error('there is no key')
      fsp.signWith(signer(key))
      old.push(`/participants/${fsp.name}/keys/${key.kid}`)
    }
    await load.judged()
    for (const path of ended) await answered(operator.call('DELETE', path))
    const { length } = payer.received
    await payer.await(() => payer.received.length >= length + payments_per_turn, limit)
  }
  await load.stop()
  expect(load.refusals).toEqual([])
  expect(load.paid()).toBeGreaterThanOrEqual(turns * payments_per_turn)
}, 300_000)

test('A key that was ended verifies no signature', async () => {
  const key = await newKey(payer)
  await answered(scheme.operator.call('DELETE', `/participants/${payer.name}/keys/${key.kid}`))
  payer.signWith(signer(key))
  const transfer = newTransfer(payer, payee)
  const { status, body } = await payer.send('POST', '/transfers', transfer.request, to(payee))
  expect(status).toBe(400)
  const message = { json: () => JSON.parse(body) as unknown }
  expect(errorOf(message as Parameters<typeof errorOf>[0])).toMatchObject({ errorCode: '3105' })
})
