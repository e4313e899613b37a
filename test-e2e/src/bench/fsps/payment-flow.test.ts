import { expect, test } from '@jest/globals'
import { openPaymentFlow, type Arrival, type PaymentFlow } from './payment-flow.ts'
import { drive } from './drive.ts'
import { legNames } from '../options.ts'
import type { BenchMessage } from './link.ts'
import { paymentOf } from './payments.ts'
import { openTimeline } from './timeline.ts'

const now_ms = () => performance.now()

function payments(count: number) {
  const options = {
    names: ['payer', 'payee'],
    legs: legNames,
    pairOf: () => [0, 1] as const,
    valid_ms: 60_000,
  }
  return Array.from({ length: count }, (_, n) => paymentOf(n, options))
}

function arrivalOf({ method, path, body = Buffer.alloc(0) }: BenchMessage): Arrival {
  return { method, path, body }
}

/** A message about this resource. */
const isAbout = ({ path }: BenchMessage, resource: string) => path.startsWith(`/${resource}`)

/** FSPs at a hub that relays what `relay` returns for each message; undefined: it is too busy. */
type Relay = (message: BenchMessage) => readonly Arrival[] | undefined

function open(relay: Relay, count = 1) {
  const timeline = openTimeline(count, legNames.length)
  const flow: PaymentFlow = openPaymentFlow({
    payments: payments(count),
    legs: legNames,
    timeline,
    send: async (message) => {
      const arrivals = relay(message)
      await Promise.resolve()
      for (const arrival of arrivals ?? []) flow.take(arrival, now_ms())
      return arrivals === undefined ? 'BUSY' : 'TAKEN'
    },
  })
  return { flow, timeline }
}

const honest = (message: BenchMessage) => [arrivalOf(message)]
const isFulfil = (message: BenchMessage) =>
  message.method === 'PUT' && isAbout(message, 'transfers')

/** Begins one payment and waits until no message is in flight. */
async function pay(relay: Relay) {
  const { flow } = open(relay)
  flow.begin(0, now_ms())
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
  return flow.totals()
}

test('Lookup, quote and transfer follow each other until the payer FSP has the fulfilment', async () => {
  const totals = await pay(honest)
  expect(totals).toMatchObject({ begun: 1, committed: 1, failures: {}, repeated: 0 })
  for (const leg of legNames) {
    expect(totals.legs[leg]).toEqual({ commands: 1, refused: 0, requests: 1, callbacks: 1 })
  }
})

test('A message that was changed in transit fails the payment', async () => {
  const totals = await pay((message) => {
    const arrival = arrivalOf(message)
    if (!isFulfil(message)) return [arrival]
    return [{ ...arrival, body: Buffer.concat([arrival.body, Buffer.from(' ')]) }]
  })
  expect(totals).toMatchObject({ committed: 0, failures: { 'PUT /transfers was changed': 1 } })
})

test('An error of the hub fails the payment with its content as the reason', async () => {
  const totals = await pay((message) => {
    if (!isFulfil(message)) return [arrivalOf(message)]
    const body = Buffer.from('{"errorCode":"3303"}')
    return [{ method: 'PUT', path: `${message.path}/error`, body }]
  })
  expect(totals.failures).toEqual({ 'PUT /transfers/{ID}/error: {"errorCode":"3303"}': 1 })
})

test('A message that arrives twice is counted, and nothing is done twice', async () => {
  const totals = await pay((message) => [arrivalOf(message), arrivalOf(message)])
  expect(totals).toMatchObject({ committed: 1, repeated: 6 })
  expect(totals.legs.transfer).toEqual({ commands: 1, refused: 0, requests: 1, callbacks: 1 })
})

test('A message that the hub refuses fails the payment, whatever its id', async () => {
  const totals = await pay((message) => {
    if (!isAbout(message, 'quotes')) return [arrivalOf(message)]
    throw new Error('503 too many requests')
  })
  expect(totals.failures).toEqual({ 'POST /quotes: 503 too many requests': 1 })
})

test('A request that the hub is too busy for ends the payment without a failure', async () => {
  const isQuote = (message: BenchMessage) => message.method === 'POST' && isAbout(message, 'quotes')
  const totals = await pay((message) => (isQuote(message) ? undefined : honest(message)))
  expect(totals).toMatchObject({ begun: 1, committed: 0, refused: 1, failures: {} })
  expect(totals.legs.quote).toEqual({ commands: 0, refused: 1, requests: 0, callbacks: 0 })
  expect(totals.legs.transfer).toEqual({ commands: 0, refused: 0, requests: 0, callbacks: 0 })
})

test('The hub must accept an answer however busy it is', async () => {
  const totals = await pay((message) => (isFulfil(message) ? undefined : honest(message)))
  expect(totals).toMatchObject({ refused: 0, failures: { 'PUT /transfers: too busy': 1 } })
})

test('Payments begin by the clock, and the window opens and closes with the measured ones', async () => {
  const { flow, timeline } = open(honest, 40)
  const edges: (readonly [string, number])[] = []
  const run = {
    type: 'RUN',
    range: { from: 0, to: 40 },
    rate: 1_000,
    measured: { from: 10, to: 30 },
  } as const
  await drive(run, {
    flow,
    onWindow: (edge, at_ms) => edges.push([edge, at_ms]),
  })
  expect(flow.totals()).toMatchObject({ begun: 40, committed: 40, failures: {} })
  expect(edges.map(([edge]) => edge)).toEqual(['OPENED', 'CLOSED'])
  expect((edges[1]?.[1] ?? 0) - (edges[0]?.[1] ?? 0)).toBeCloseTo(20, 6)
  expect(timeline.timesOf(39).total_ms).toBeGreaterThan(0)
})

test('Payments that the hub was too busy for are counted by their payer', async () => {
  const totals = await pay(() => undefined)
  expect(totals).toMatchObject({ refused: 1, refusedByPayer: [1] })
})
