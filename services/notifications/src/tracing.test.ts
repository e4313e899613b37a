import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { openTracing, type Tracing } from '@causeway/tracing'
import { openCollector, type Collector } from '@causeway/tracing/testing'
import { storedNotification, type Notification } from './contract.ts'
import { continuing, recordedAttempt } from './lanes/tracing.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const ofEvent = `00-${traceId}-00f067aa0ba902b7-01`
const ofSender = `00-${traceId}-b7ad6b7169203331-01`

let collector: Collector
let tracing: Tracing

beforeEach(async () => {
  collector = await openCollector()
  const { url } = collector
  tracing = await openTracing({ url, sampled_percent: 100, onWarning: () => undefined })
})

afterEach(async () => {
  await tracing.stop()
  await collector.stop()
})

function relayed(headers: Readonly<Record<string, string>>): Notification {
  const request = {
    notificationId: '85feac2f-39b2-491b-817e-4a03203d4f14',
    entityId: '15551234567',
    cause: { msgName: 'GET /parties/{Type}/{ID}', entityId: '15551234567' },
    legRole: 'PAYEE',
    destinationFspId: 'bluewallet',
    transport: {
      type: 'HTTP',
      method: 'GET',
      url: 'http://bluewallet.example/parties/MSISDN/15551234567',
      path: '/parties/MSISDN/15551234567',
    },
    headers: { 'fspiop-source': 'greenbank', ...headers },
    deadline: '2026-01-01T00:00:00.000Z',
    reportRequired: false,
  }
  return storedNotification(request, Buffer.alloc(0), 0, 0)
}

const traceparentOf = ({ request }: Notification) => request.headers['traceparent']

async function sentBy(notification: Notification, status = 202): Promise<Notification> {
  let sent = notification
  await recordedAttempt(tracing.of('notifications'), notification, (changed) => {
    sent = changed
    return Promise.resolve({ type: 'ANSWERED', status, refusal: undefined })
  })
  await tracing.stop()
  return sent
}

test('An attempt continues the trace of its event, and its span is sent to the FSP', async () => {
  const notification = continuing(relayed({ traceparent: ofSender }), ofEvent)
  expect(traceparentOf(notification)).toBe(ofEvent)
  const sent = await sentBy(notification)
  const [span] = collector.spans
  expect(span).toMatchObject({ name: 'deliver GET', traceId, parentSpanId: '00f067aa0ba902b7' })
  expect(traceparentOf(sent)).toBe(`00-${traceId}-${span?.spanId}-01`)
  expect(JSON.stringify(span)).not.toContain('15551234567')
})

test('A trace that the signature of the sender covers is relayed unchanged', async () => {
  const covered = { alg: 'RS256', 'FSPIOP-URI': '/parties', traceparent: ofSender }
  const protectedHeader = Buffer.from(JSON.stringify(covered)).toString('base64url')
  const signature = JSON.stringify({ signature: 'c2lnbmF0dXJl', protectedHeader })
  const signed = relayed({ traceparent: ofSender, 'fspiop-signature': signature })
  const sent = await sentBy(continuing(signed, ofEvent))
  expect(traceparentOf(sent)).toBe(ofSender)
  expect(collector.spans.map((span) => span.parentSpanId)).toEqual(['b7ad6b7169203331'])
})

test('An attempt without a trace is not recorded, and no trace headers are added', async () => {
  const notification = continuing(relayed({}), undefined)
  expect(traceparentOf(await sentBy(notification))).toBeUndefined()
  expect(collector.spans).toEqual([])
})
