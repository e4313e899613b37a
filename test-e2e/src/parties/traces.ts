/** A payment whose FSPs propagate its trace, and the spans that the hub records of it. */
import type { CollectedSpan, Collector } from '@causeway/tracing/testing'
import { eventually } from '@causeway/process/testing'
import { expect } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import type { Fsp, Received } from '../fsp/fsp.ts'
import { agree, lookUp, move, newPhoneNumber, newQuote, own } from '../fsp/payment.ts'

export const traceparentIn = ({ headers }: Received) => String(headers['traceparent'])

/** A trace that is sampled at any sampling rate. */
function newTraceId(): string {
  const [one, two] = [randomBytes(4).toString('hex'), randomBytes(4).toString('hex')]
  return `${one}${one}${two}${two}`
}

/** The headers with which an FSP names one of its own spans as the parent. */
function within(fsp: Fsp, traceId: string, spanId: string): Fsp {
  const traceparent = `00-${traceId}-${spanId}-01`
  return {
    ...fsp,
    send: (method, path, body, headers) =>
      fsp.send(method, path, body, { traceparent, ...headers }),
  }
}

/**
 * All spans of its trace. Each has a parent among them or at an FSP, each callback to an FSP names
 * the span of its delivery, and none contains the payee's telephone number.
 */
export async function recordPayment(
  collector: Collector,
  payer: Fsp,
  payee: Fsp,
): Promise<readonly CollectedSpan[]> {
  const traceId = newTraceId()
  const ofFsps = ['a1a1a1a1a1a1a1a1', 'b2b2b2b2b2b2b2b2'] as const
  const phone = newPhoneNumber()
  await own(payee, phone)
  const paying = within(payer, traceId, ofFsps[0])
  const paid = within(payee, traceId, ofFsps[1])
  const after = payee.received.length

  const found = await lookUp(paying, paid, phone)
  const { transfer } = await agree(paying, paid, newQuote(payer, payee, { payee: found }))
  const callback = await move(paying, paid, transfer)
  const callbacks = [...payee.received.slice(after), callback].map(traceparentIn)
  const spans = await eventually(() => {
    const recorded = collector.spans.filter((span) => span.traceId === traceId)
    const attempts = recorded
      .filter(({ name }) => name.startsWith('deliver '))
      .map(({ spanId }) => `00-${traceId}-${spanId}-01`)
    for (const traceparent of callbacks) expect(attempts).toContain(traceparent)
    // Each process sends its spans by itself.
    expect(servicesIn(recorded)).toEqual(servicesOfPayment)
    const ids = new Set<string>([...ofFsps, ...recorded.map(({ spanId }) => spanId)])
    expect(recorded.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))).toEqual([])
    return recorded
  }, 'the span of every service, callback and parent')
  expect(JSON.stringify(spans)).not.toContain(phone)
  return spans
}

export const servicesOfPayment = [
  'account-lookup',
  'fspiop-api',
  'notifications',
  'participant-lifecycle',
  'quoting',
  'settlements',
  'transfers',
]

export function servicesIn(spans: readonly CollectedSpan[]): readonly string[] {
  const services = new Set(spans.map(({ service }) => service))
  return [...services].toSorted((one, other) => one.localeCompare(other))
}
