/** The spans of a payment, as the operator's trace collector receives them. */
import { openCollector, type Collector } from '@causeway/tracing/testing'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { move } from './fsp/payment.ts'
import { openSchemeOfFsps, type OwnScheme } from './hub/scheme.ts'
import { recordPayment, servicesIn, servicesOfPayment, traceparentIn } from './parties/traces.ts'
import { newTransfer } from './fsp/transfer.ts'

let collector: Collector
let scheme: OwnScheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  collector = await openCollector()
  scheme = await openSchemeOfFsps({ TRACES_URL: collector.url })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
  await collector.stop()
})

async function untilSent(traceId: string, names: readonly string[]) {
  const own = () => collector.spans.filter((span) => span.traceId === traceId)
  await eventually(
    () => names.every((name) => own().some((span) => span.name === name)),
    `spans of ${names.join()}`,
  )
  return own()
}

test('A payment whose FSPs propagate its trace is one trace through all services', async () => {
  expect(servicesIn(await recordPayment(collector, payer, payee))).toEqual(servicesOfPayment)
})

test('A transfer whose FSPs send no trace context is in the trace of its id, its answer too', async () => {
  const transfer = newTransfer(payer, payee)
  const callback = await move(payer, payee, transfer)
  const traceId = transfer.transferId.replaceAll('-', '')
  const spans = await untilSent(traceId, ['POST /transfers', 'PUT /transfers/{ID}'])
  expect(traceparentIn(callback)).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
  const received = spans.filter(({ kind, service }) => kind === 2 && service === 'fspiop-api')
  expect(
    received.map(({ name, parentSpanId = '', attributes }) => ({
      name,
      parentSpanId,
      source: attributes['fspiop.source'],
    })),
  ).toEqual([
    { name: 'POST /transfers', parentSpanId: '', source: 'greenbank' },
    { name: 'PUT /transfers/{ID}', parentSpanId: '', source: 'bluewallet' },
  ])
})

test('A callback that an FSP refuses is a span with an error', async () => {
  payee.answerWith(() => 500)
  const transfer = newTransfer(payer, payee)
  await payer.send('POST', '/transfers', transfer.request, { 'fspiop-destination': payee.name })
  const traceId = transfer.transferId.replaceAll('-', '')
  const spans = await untilSent(traceId, ['deliver POST'])
  payee.answerWith(() => 202)
  const [refused] = spans.filter(({ name }) => name === 'deliver POST')
  expect(refused).toMatchObject({
    service: 'notifications',
    hasFailed: true,
    attributes: { 'http.response.status_code': 500, 'fspiop.destination': 'bluewallet' },
  })
  await payee.await(
    ({ method, headers }) => method === 'POST' && headers['traceparent'] !== undefined,
  )
})
