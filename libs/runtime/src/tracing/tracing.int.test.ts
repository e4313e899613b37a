import { openTracing, type Tracing } from '@causeway/tracing'
import { openCollector, type CollectedSpan, type Collector } from '@causeway/tracing/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Message, OutgoingMessage, Subscription } from '@causeway/bus'
import { openGrpcHost, type OpenGrpcHost } from '@causeway/grpc'
import { mirrorService, type Items } from '@causeway/grpc/testing'
import { shopMigrations } from '@causeway/bus/testing'
import { eventually } from '@causeway/process/testing'
import type { ProcessParts } from '../process-parts.ts'
import { openTestParts, type TestParts } from '../testing/test-parts.ts'
import { tracedParts } from './parts.ts'

let collector: Collector
let tracing: Tracing
let parts: TestParts
let stopped: Promise<void> | undefined
let opened: OpenGrpcHost[] = []

beforeEach(async () => {
  collector = await openCollector()
  tracing = await openTracing({
    url: collector.url,
    sampled_percent: 100,
    onWarning: () => undefined,
  })
  parts = await openTestParts()
  stopped = undefined
})

afterEach(async () => {
  await Promise.all(opened.map((host) => host.stop()))
  opened = []
  await parts.stop()
  await (stopped ?? tracing.stop())
  await collector.stop()
})

const as = (service: string): ProcessParts => tracedParts(parts, tracing, service)

/** Every span that has ended. */
async function spans(): Promise<readonly CollectedSpan[]> {
  stopped ??= tracing.stop()
  await stopped
  return collector.spans
}

function newMessage(key: string, traceparent?: string): OutgoingMessage {
  return {
    id: randomUUID(),
    topic: 'orders',
    key,
    type: 'Ordered',
    source: 'shop',
    payload: {},
    headers: traceparent === undefined ? {} : { traceparent },
  }
}

const newTrace = () => {
  const traceId = randomUUID().replaceAll('-', '')
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
}

function subscribe(
  { bus }: ProcessParts,
  handleBatch: Subscription['handleBatch'],
  topics = ['orders'],
) {
  return bus.subscribe({
    group: topics.join(),
    topics,
    types: new Set(['Ordered']),
    read: (_type, json) => json,
    handleBatch,
  })
}

const traceOf = (message: Message) => message.headers['traceparent']?.toString()

/** `parent/child/…` of a trace, each as service and name. */
function pathsOf(all: readonly CollectedSpan[], traceId: string): readonly string[] {
  const own = all.filter((span) => span.traceId === traceId)
  const nameOf = ({ service, name }: CollectedSpan) => `${service} ${name}`
  const pathOf = (span: CollectedSpan): string => {
    const parent = own.find(({ spanId }) => spanId === span.parentSpanId)
    return parent === undefined ? nameOf(span) : `${pathOf(parent)} > ${nameOf(span)}`
  }
  return own.map(pathOf).toSorted((one, other) => one.localeCompare(other))
}

const call = 'causeway.test.v1.Mirror/Reflect'

test.each(['within the process', 'over a connection'])(
  'Each message of a batch is in its own trace, and the call %s for all of them is in each',
  async (way) => {
    const [one, two] = [newTrace(), newTrace()]
    const echo = (request: Items) => Promise.resolve(request)
    as('kitchen').grpc.serve(mirrorService, { Reflect: echo, Other: echo })
    const remote = await openGrpcHost({
      log: parts.log,
      listen: `${parts.grpc.address}.caller`,
      addressOf: () => parts.grpc.address,
    })
    opened.push(remote)
    const grpc = way === 'over a connection' ? remote : parts.grpc
    const shop = tracedParts({ ...parts, grpc }, tracing, 'shop')
    const kitchen = shop.grpc.client(mirrorService, 'kitchen')
    const seen: Message[] = []
    await subscribe(shop, async (messages) => {
      await kitchen.Reflect({ items: [] }, { deadline_ms: 60_000 })
      seen.push(...messages)
    })
    await as('edge').bus.publish([
      newMessage('a', one.traceparent),
      newMessage('b', two.traceparent),
    ])
    await eventually(() => seen.length === 2, 'both')
    const all = await spans()
    for (const { traceId } of [one, two]) {
      expect(pathsOf(all, traceId)).toEqual([
        'edge publish Ordered',
        'edge publish Ordered > shop process Ordered',
        `edge publish Ordered > shop process Ordered > shop ${call}`,
        `edge publish Ordered > shop process Ordered > shop ${call} > kitchen ${call}`,
      ])
    }
    expect(all).toHaveLength(8)
  },
)

test('Messages that follow from a message are in its trace, whether published, announced or derived', async () => {
  const { traceId, traceparent } = newTrace()
  const shop = as('shop')
  const database = await parts.openDatabase({
    url: '',
    schema: 'shop',
    migrations: shopMigrations,
    connections_max: 1,
  })
  const follows: Message[] = []
  await subscribe(as('kitchen'), (messages) => Promise.resolve(void follows.push(...messages)), [
    'published',
    'announced',
    'derived',
  ])
  await subscribe(shop, async ([message], { publishDerived }) => {
    if (message === undefined) return
    const next = (topic: string) => ({
      ...newMessage('a', traceOf(message)),
      topic,
      type: 'Ordered',
    })
    await shop.bus.publish([next('published')])
    await publishDerived([next('derived')])
    await database.transaction((tx) => {
      shop.bus.announce(tx, [next('announced')])
      return Promise.resolve()
    })
  })
  await as('edge').bus.publish([newMessage('a', traceparent)])
  await eventually(() => follows.length === 3, 'all three')
  const begin = 'edge publish Ordered > shop process Ordered'
  const follow = `${begin} > shop publish Ordered`
  expect(pathsOf(await spans(), traceId)).toEqual([
    'edge publish Ordered',
    begin,
    ...Array.from({ length: 3 }, () => follow),
    ...Array.from({ length: 3 }, () => `${follow} > kitchen process Ordered`),
  ])
  await database.close()
})

test('A message without a trace starts that of the payment whose id is its key, and otherwise has none', async () => {
  const key = randomUUID()
  const seen: Message[] = []
  await subscribe(as('shop'), (messages) => Promise.resolve(void seen.push(...messages)))
  await as('edge').bus.publish([newMessage(key), newMessage('15551234567')])
  await eventually(() => seen.length === 2, 'both')
  expect((await spans()).map(({ traceId }) => traceId)).toEqual([
    key.replaceAll('-', ''),
    key.replaceAll('-', ''),
  ])
  expect(seen.map((message) => traceOf(message) === undefined)).toEqual([false, true])
})

test('Work that fails is recorded as a failed span, and the next attempt as another one', async () => {
  const { traceId, traceparent } = newTrace()
  let tries = 0
  await subscribe(as('shop'), () =>
    ++tries === 1 ? Promise.reject(new Error('once')) : Promise.resolve(),
  )
  await as('edge').bus.publish([newMessage('a', traceparent)])
  await eventually(() => tries === 2, 'the second try')
  const tried = (await spans()).filter((span) => span.traceId === traceId && span.kind === 5)
  expect(tried.map(({ hasFailed }) => hasFailed)).toEqual([true, false])
})

test('No span contains a telephone number', async () => {
  await subscribe(as('shop'), () => Promise.resolve())
  const { traceparent } = newTrace()
  await as('edge').bus.publish([newMessage('MSISDN 15551234567', traceparent)])
  expect(JSON.stringify(await spans())).not.toContain('15551234567')
})
