import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { openTracing, traceIdOf } from './index.ts'
import { openCollector, type Collector } from './testing.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = `00-${traceId}-00f067aa0ba902b7-01`

let collector: Collector
const warnings: string[] = []
const open = (sampled_percent = 100) =>
  openTracing({ url: collector.url, sampled_percent, onWarning: (text) => warnings.push(text) })

beforeEach(async () => {
  collector = await openCollector()
  warnings.length = 0
})

afterEach(() => collector.stop())

describe('a span', () => {
  test('A span is sent with the name of its service, its parent and its attributes', async () => {
    const tracing = await open()
    const attributes = { 'http.request.method': 'PUT' }
    const span = tracing
      .of('transfers')
      .begin('deliver PUT', { kind: 'CLIENT', parent, attributes })
    span?.end({ attributes: { 'http.response.status_code': 200 } })
    await tracing.stop()
    expect(collector.spans).toEqual([
      expect.objectContaining({
        service: 'transfers',
        name: 'deliver PUT',
        kind: 3,
        traceId,
        parentSpanId: '00f067aa0ba902b7',
        attributes: { 'http.request.method': 'PUT', 'http.response.status_code': 200 },
        hasFailed: false,
      }),
    ])
    expect(span?.traceparent).toBe(`00-${traceId}-${collector.spans[0]?.spanId}-01`)
  })

  test('A span without a parent begins the trace that is named, or one of its own', async () => {
    const tracing = await open()
    const tracer = tracing.of('transfers')
    tracer.begin('named', { kind: 'SERVER', traceId })?.end()
    tracer.begin('own', { kind: 'SERVER' })?.end()
    await tracing.stop()
    const [named, own] = collector.spans
    expect([named?.traceId, named?.parentSpanId ?? '']).toEqual([traceId, ''])
    expect(own?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
    expect(own?.traceId).not.toBe(traceId)
  })

  test('A span that failed is marked as failed, and ends once', async () => {
    const tracing = await open()
    const span = tracing.of('transfers').begin('process', { kind: 'CONSUMER', parent })
    span?.end({ error: new Error('no answer') })
    span?.end()
    await tracing.stop()
    expect(collector.spans.map(({ hasFailed }) => hasFailed)).toEqual([true])
  })
})

test('The running code is a part of the spans that it was given, until they end', async () => {
  const tracing = await open()
  const tracer = tracing.of('transfers')
  const one = tracer.begin('one', { kind: 'CONSUMER', parent })
  const two = tracer.begin('two', { kind: 'CONSUMER', parent })
  if (one === undefined || two === undefined) throw new Error('all traces are recorded')
  const current = await tracer.within([one, two], async () => {
    await Promise.resolve()
    one.end()
    return tracer.current()
  })
  expect(current).toEqual([two])
  expect(tracer.current()).toEqual([])
  await tracing.stop()
})

test('Which traces are recorded follows from their ids, and the configured share is met', async () => {
  const [one, other] = [await open(25), await open(25)]
  const ids = Array.from({ length: 2_000 }, (_, at) =>
    (at * 2_654_435_761).toString(16).padStart(32, '1'),
  )
  const chosenBy = (tracing: typeof one) =>
    ids.filter((id) => tracing.of('quoting').begin('x', { kind: 'SERVER', traceId: id }))
  const chosen = chosenBy(one)
  expect(chosenBy(other)).toEqual(chosen)
  expect(chosen.length).toBeGreaterThan(400)
  expect(chosen.length).toBeLessThan(600)
})

test('An unreachable receiver costs the spans and causes a warning', async () => {
  const tracing = await open()
  await collector.stop()
  tracing.of('transfers').begin('lost', { kind: 'SERVER', traceId })?.end()
  await tracing.stop()
  expect(warnings).not.toEqual([])
  collector = await openCollector()
})

test.each(['collector:4318', 'ftp://collector/v1/traces', 'http://collector/v1#traces', 'no url'])(
  'The URL %s is refused',
  async (url) => {
    const opening = openTracing({ url, sampled_percent: 100, onWarning: () => undefined })
    await expect(opening).rejects.toThrow(TypeError)
  },
)

test('The trace of a transfer is its UUID without hyphens or the hexadecimal of its ULID; other ids have none', () => {
  expect(traceIdOf('85feac2f-39b2-491b-817e-4a03203d4f14')).toBe('85feac2f39b2491b817e4a03203d4f14')
  expect(traceIdOf('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('01563e3ab5d3d6764c61efb99302bd5b')
  expect(traceIdOf('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')).toBe('f'.repeat(32))
  const others = ['', 'greenbank', '15551234567', '85feac2f-39b2-491b-817e', `8${'Z'.repeat(25)}`]
  for (const id of others) expect(traceIdOf(id)).toBeUndefined()
})
