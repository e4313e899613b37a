/** Fairness between sources: any number of messages of one source does not delay those of others. */
import { randomUUID } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterEach, expect, test } from '@jest/globals'
import { notify, openSink, openWorld, type Sink, type NotificationsWorld } from './testing/world.ts'

const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function openTestWorld(
  answers: Sink['answers'],
  changed: Parameters<typeof openWorld>[0],
): Promise<{ readonly sink: Sink; readonly world: NotificationsWorld }> {
  const sink = await openSink(answers)
  ends.push(() => sink.close())
  const world = await openWorld({ ...patient, ...changed })
  ends.push(() => {
    sink.answers = () => 200
    sink.release(200)
    return world.stop()
  })
  return { sink, world }
}

/** No slow attempt times out or is parked. */
const patient = { CALLBACK_TIMEOUT_MS: 60_000, park_after_ms: 10_000 }

const from = (source: string, messages: number, url: string) =>
  Array.from({ length: messages }, () => notify({ url, source, headers: { 'x-from': source } }))
const sourcesAt = ({ received }: Sink) => received.map(({ headers }) => headers['x-from'])

function parked(world: NotificationsWorld, messages: number): Promise<true> {
  return eventually(async () => {
    const metrics = await world.parts.metrics.metrics()
    const line = `notifications_undelivered{state="PARKED",fsp="bluewallet"} ${messages}`
    return metrics.includes(line) ? true : undefined
  }, `${messages} parked messages`)
}

test('While all messages of one source are unanswered, another source has a slot at once', async () => {
  const { sink, world } = await openTestWorld(() => 'HANG', { NOTIFICATIONS_LANE_MAX: 8 })
  await world.publish(...from('greenbank', 40, sink.url))
  await eventually(() => sink.received.length >= 6 || undefined, 'the first messages')
  await world.publish(...from('redpay', 1, sink.url))
  await eventually(() => sourcesAt(sink).includes('redpay') || undefined, 'the other message')
  expect(sourcesAt(sink).filter((source) => source === 'greenbank')).toHaveLength(6)
})

test('While unanswered messages of one source are parked, another source has a slot at once', async () => {
  const changed = { NOTIFICATIONS_LANE_MAX: 8, park_after_ms: 50 }
  const { sink, world } = await openTestWorld(() => 'HANG', changed)
  await world.publish(...from('greenbank', 40, sink.url))
  await parked(world, 40)
  await world.publish(...from('redpay', 1, sink.url))
  await eventually(() => sourcesAt(sink).includes('redpay') || undefined, 'the other message')
  expect(sourcesAt(sink)).toHaveLength(7)
})

test('Sources take turns when an FSP answers one message at a time', async () => {
  const { sink, world } = await openTestWorld(() => 'HANG', { NOTIFICATIONS_LANE_MAX: 1 })
  await world.publish(...from('greenbank', 40, sink.url), ...from('redpay', 2, sink.url))
  await eventually(() => {
    sink.release(200)
    return sink.received.length === 42 || undefined
  }, 'all messages')
  expect(sourcesAt(sink).slice(0, 6)).toEqual([
    'greenbank',
    'greenbank',
    'redpay',
    'greenbank',
    'redpay',
    'greenbank',
  ])
})

test('Sources take turns in retries', async () => {
  const { sink, world } = await openTestWorld(() => 503, { NOTIFICATIONS_LANE_MAX: 1 })
  await world.publish(...from('greenbank', 60, sink.url))
  await parked(world, 60)
  await world.publish(...from('redpay', 3, sink.url))
  await parked(world, 63)
  const before = sink.received.length
  sink.answers = () => 200
  await eventually(() => world.reports.length === 63 || undefined, 'all reports')
  const outcomes = sourcesAt(sink).slice(before)
  expect(outcomes.slice(0, 8).filter((source) => source === 'redpay')).toHaveLength(3)
})

test('Messages of two sources about one entity keep their order', async () => {
  let turn = 0
  const { sink, world } = await openTestWorld(() => (turn++ % 3 === 0 ? 503 : 200), {
    NOTIFICATIONS_CIRCUIT_FAILURES_MAX: 1_000,
  })
  const entityId = randomUUID()
  const steps = Array.from({ length: 20 }, (_, step) => String(step))
  const sourceOf = (step: number) => (step % 2 === 0 ? 'greenbank' : 'redpay')
  const to = (body: string, at: number) =>
    notify({ url: `${sink.url}/chain`, entityId, body, source: sourceOf(at) })
  await world.publish(...steps.map(to), ...from('greenbank', 100, sink.url))
  await eventually(() => world.reports.length === 120 || undefined, 'all reports')
  const bodies = sink.received
    .filter(({ path }) => path === '/chain')
    .map(({ body }) => body.toString())
  expect([...new Set(bodies)]).toEqual(steps)
  expect(bodies).toEqual(bodies.toSorted((one, other) => Number(one) - Number(other)))
})
