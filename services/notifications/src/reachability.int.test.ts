/** FSPs that do not answer: operators see it, whichever process has noticed it. */
import { eventually } from '@causeway/process/testing'
import { notificationsService, type UnreachableFsp } from '@causeway/protos'
import { afterEach, expect, test } from '@jest/globals'
import { notify, openSink, openWorld, type Sink, type NotificationsWorld } from './testing/world.ts'

const hour_ms = 3_600_000
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function sinkThat(answers: Sink['answers']): Promise<Sink> {
  const sink = await openSink(answers)
  ends.push(() => sink.close())
  return sink
}

/** Requests whose first attempts fail open the circuit; their own deadline ends them. */
function failingRequests(sink: Sink) {
  return Array.from({ length: 5 }, () =>
    notify({ url: sink.url, method: 'POST', deadline_ms: 5_000 }),
  )
}

async function unreachableOf({ parts }: NotificationsWorld): Promise<readonly UnreachableFsp[]> {
  const notifications = parts.grpc.client(notificationsService, 'notifications')
  return (await notifications.GetUnreachable({ fspIds: ['bluewallet', 'greenbank'] })).fsps
}

function whenUnreachable(world: NotificationsWorld): Promise<UnreachableFsp> {
  return eventually(async () => (await unreachableOf(world))[0], 'the FSP as unreachable')
}

function whenReached(world: NotificationsWorld): Promise<true> {
  return eventually(
    async () => (await unreachableOf(world)).length === 0 || undefined,
    'no FSP as unreachable',
  )
}

test('An FSP that fails is unreachable until a callback reaches it', async () => {
  let status = 503
  const sink = await sinkThat(() => status)
  const world = await openWorld()
  ends.push(() => world.stop())
  expect(await unreachableOf(world)).toEqual([])
  await world.publish(...failingRequests(sink))
  expect(await whenUnreachable(world)).toMatchObject({
    fspId: 'bluewallet',
    lastError: 'answered 503',
  })
  status = 200
  await world.publish(notify({ url: sink.url }))
  await whenReached(world)
})

test('What another process has stored ends with the first callback that reaches the FSP', async () => {
  let status = 503
  const sink = await sinkThat(() => status)
  // No trial follows, so the process ends with an open circuit.
  const first = await openWorld({ NOTIFICATIONS_CIRCUIT_TRIAL_MS: hour_ms })
  await first.publish(...failingRequests(sink))
  await whenUnreachable(first)
  const parts = await first.parts.restart()
  await first.service.stop().catch(() => undefined)
  const second = await openWorld({}, parts)
  ends.push(() => second.stop())
  expect(await unreachableOf(second)).toHaveLength(1)
  status = 200
  await second.publish(notify({ url: sink.url }))
  await whenReached(second)
})

test('A process that has begun anew and fails once does not count the FSP as reached', async () => {
  const sink = await sinkThat(() => 503)
  const first = await openWorld({ NOTIFICATIONS_CIRCUIT_TRIAL_MS: hour_ms })
  await first.publish(...failingRequests(sink))
  await whenUnreachable(first)
  const parts = await first.parts.restart()
  await first.service.stop().catch(() => undefined)
  const before = sink.received.length
  const second = await openWorld({}, parts)
  await second.publish(notify({ url: sink.url }))
  await eventually(() => sink.received.length > before || undefined, 'an attempt of the second')
  const later = await second.parts.restart()
  await second.service.stop().catch(() => undefined)
  const third = await openWorld({}, later)
  ends.push(() => third.stop())
  expect(await unreachableOf(third)).toMatchObject([{ fspId: 'bluewallet' }])
})
