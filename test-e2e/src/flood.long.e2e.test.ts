/**
 * A client that overloads the port of the FSPs costs no other FSP a message. The latency of the
 * others is measured and printed; it depends on the machine as much as on the hub, so nothing is
 * asserted of it.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { quantiles } from './bench/quantiles.ts'
import { beginFlood } from './parties/flooding.ts'
import type { Fsp } from './fsp/fsp.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer } from './fsp/transfer.ts'

const rate_per_s = 200
const payments = 40

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let flooder: Fsp
let baseline: Waits | undefined

beforeAll(async () => {
  scheme = await openSchemeOfFsps({
    FSPIOP_API_RATE_PER_FSP_MAX: String(rate_per_s),
    FSPIOP_API_BURST_PER_FSP_MAX: String(rate_per_s),
    // Queries may use half of it: fewer than the flood sends at once, even on a slow machine.
    FSPIOP_API_IN_FLIGHT_PER_FSP_MAX: '8',
  })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
  flooder = await scheme.join('redmoney')
  await pay()
  const waits = await waitsOf()
  print('without a flood', waits)
  baseline = waits
}, 300_000)

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

interface Waits {
  readonly p50: number
  readonly p99: number
}

/** One payment, from the first message to the last; throws when any message of it is refused. */
async function pay(to = payee): Promise<number> {
  const begun_ms = performance.now()
  const transfer = newTransfer(payer, to, { amount: '0.01', expires_ms: 60_000 })
  const path = `/transfers/${transfer.transferId}`
  const asked = await payer.send('POST', '/transfers', transfer.request)
  expect([asked.status, asked.body]).toEqual([202, ''])
  await to.await(about(transfer.transferId, 'POST'), { timeout_ms: 60_000 })
  const answered = await to.send('PUT', path, committed(transfer))
  expect([answered.status, answered.body]).toEqual([200, ''])
  const callback = await payer.await(about(transfer.transferId, 'PUT'), { timeout_ms: 60_000 })
  expect(callback.json()).toMatchObject({ transferState: 'COMMITTED' })
  return performance.now() - begun_ms
}

/** One payment after the other, so that they stay below the bound of the rate themselves. */
async function waitsOf(): Promise<Waits> {
  const all: number[] = []
  for (let at = 0; at < payments; at += 1) all.push(await pay())
  return quantiles(all)
}

function print(when: string, { p50, p99 }: Waits): void {
  const ms = (wait: number) => `${Math.round(wait)} ms`
  const comparison = baseline === undefined ? '' : ` (without a flood ${ms(baseline.p99)})`
  process.stderr.write(
    `payments of other FSPs ${when}: p50 ${ms(p50)}, p99 ${ms(p99)}${comparison}\n`,
  )
}

test('A flood of one FSP is admitted up to its bounds, and no request of another FSP is refused', async () => {
  const flood = beginFlood({ type: 'REQUESTS', url: scheme.hub.urls.fsp, name: flooder.name })
  await flood.answered(2 * rate_per_s)
  print('during a flood', await waitsOf())
  const { statuses, s } = await flood.stop()
  expect(Object.keys(statuses).toSorted()).toEqual(['202', '503'])
  expect(statuses[202]).toBeLessThanOrEqual(rate_per_s * (s + 1))
}, 300_000)

test('A flooding FSP is still paid: its answers are accepted, and its messages are delivered', async () => {
  const flood = beginFlood({ type: 'REQUESTS', url: scheme.hub.urls.fsp, name: flooder.name })
  await flood.answered(2 * rate_per_s)
  for (let at = 0; at < 10; at += 1) await pay(flooder)
  const { statuses } = await flood.stop()
  expect(Object.keys(statuses)).toContain('503')
}, 300_000)

test('Connections of clients that never end their heads are closed, and delay no other client', async () => {
  const flood = beginFlood({ type: 'SLOW', url: scheme.hub.urls.fsp })
  print('during slow heads', await waitsOf())
  await flood.answered(1)
  const { statuses } = await flood.stop()
  expect(Object.keys(statuses)).toEqual(['400'])
}, 300_000)

test('Heads that are too large are refused, and delay no other client', async () => {
  const url = scheme.hub.urls.fsp
  const flood = beginFlood({ type: 'LARGE_HEADS', url, name: flooder.name })
  await flood.answered(100)
  print('during large heads', await waitsOf())
  const { statuses } = await flood.stop()
  // A connection that is closed before the client has read its answer shows none.
  expect(Object.keys(statuses).filter((status) => status !== '0')).toEqual(['400'])
}, 300_000)
