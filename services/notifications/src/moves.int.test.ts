/** FSPs that change their address: parked notifications go to the new one. */
import { randomUUID } from 'node:crypto'
import { newEvent } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import { eventually } from '@causeway/process/testing'
import { participantsService, type Participant } from '@causeway/protos'
import { openTestParts } from '@causeway/runtime/testing'
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

interface Moving extends NotificationsWorld {
  /** Sets the address of bluewallet; services learn of it only from the event. */
  moveTo(url: string): void
  publishMove(): Promise<void>
}

/** Without the address of bluewallet participant-lifecycle does not answer. */
async function openTestWorld(
  changed: Parameters<typeof openWorld>[0],
  url?: string,
): Promise<Moving> {
  const parts = await openTestParts()
  let value = url
  const notAsked = () => Promise.reject(new Error('notifications do not ask this'))
  parts.grpc.serve(participantsService, {
    ...(Object.fromEntries(
      Object.keys(participantsService).map((name) => [name, notAsked]),
    ) as unknown as Handlers<typeof participantsService>),
    GetParticipantInfo: () =>
      value === undefined ? notAsked() : Promise.resolve({ participants: [bluewalletAt(value)] }),
  })
  const world = await openWorld(changed, parts)
  ends.push(() => world.stop())
  return {
    ...world,
    moveTo(moved) {
      value = moved
    },
    publishMove: () =>
      world.publish(
        newEvent('participant-lifecycle', 'ParticipantEndpointsUpdated', {
          participantId: 'bluewallet',
          endpoints: [],
          version: 2,
          changedAt: new Date().toISOString(),
        }),
      ),
  }
}

function bluewalletAt(value: string): Participant {
  return {
    id: 7,
    name: 'bluewallet',
    isActive: true,
    isHub: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'operator',
    version: 1,
    stateName: 'ACTIVE',
    type: 'DFSP',
    accounts: [],
    endpoints: [{ type: 'FSPIOP_CALLBACK_URL', value }],
  }
}

const transferTo = ({ url }: Sink) => {
  const path = `/transfers/${randomUUID()}`
  return { path, message: notify({ url: url + path, path }) }
}

function metric(world: NotificationsWorld, line: string): Promise<true> {
  return eventually(async () => {
    const metrics = await world.parts.metrics.metrics()
    return metrics.includes(line) ? true : undefined
  }, line)
}

/** Long pauses between attempts: only a change of address ends them. */
const reluctant = {
  park_after_ms: 10_000,
  NOTIFICATIONS_CIRCUIT_TRIAL_MS: hour_ms,
  NOTIFICATIONS_RETRY_FIRST_MS: hour_ms,
  NOTIFICATIONS_RETRY_MAX_MS: hour_ms,
}

test('Parked and new messages go to the new address of an FSP that has moved', async () => {
  const [left, reached] = [await sinkThat(() => 503), await sinkThat(() => 200)]
  const world = await openTestWorld(reluctant, left.url)
  const waiting = Array.from({ length: 20 }, () => transferTo(left))
  await world.publish(...waiting.map(({ message }) => message))
  await metric(world, 'notifications_undelivered{state="PARKED",fsp="bluewallet"} 20')
  await metric(world, 'notifications_circuit_open{fsp="bluewallet"} 1')
  const inVain = left.received.length
  world.moveTo(reached.url)
  await world.publishMove()
  await eventually(() => world.reports.length === 20 || undefined, 'the reports of what waited')
  expect(new Set(reached.received.map(({ path }) => path))).toEqual(
    new Set(waiting.map(({ path }) => path)),
  )
  await metric(world, 'notifications_circuit_open{fsp="bluewallet"} 0')
  const next = transferTo(reached)
  await world.publish(next.message)
  await eventually(() => world.reports.length === 21 || undefined, 'the report of the new message')
  expect(world.reports[20]).toMatchObject({ status: 'SUCCESS', attempts: 1 })
  expect(left.received).toHaveLength(inVain)
})

test('Unanswered attempts to an old address delay nothing, and are repeated at the new one', async () => {
  const [left, reached] = [await openSink(() => 'HANG'), await sinkThat(() => 200)]
  const world = await openTestWorld(
    {
      ...reluctant,
      park_after_ms: 100,
      CALLBACK_TIMEOUT_MS: 60_000,
      NOTIFICATIONS_LANE_MAX: 4,
    },
    left.url,
  )
  const hanging = Array.from({ length: 6 }, () => transferTo(left))
  await world.publish(...hanging.map(({ message }) => message))
  await metric(world, 'notifications_undelivered{state="PARKED",fsp="bluewallet"} 6')
  const stuck = left.received.map(({ path }) => path)
  world.moveTo(reached.url)
  await world.publishMove()
  await eventually(
    () => world.reports.length === 6 - stuck.length || undefined,
    'the messages that were not sent yet',
  )
  const next = transferTo(reached)
  await world.publish(next.message)
  await eventually(() => reached.received.some(({ path }) => path === next.path) || undefined, 'it')
  await left.close()
  await eventually(() => world.reports.length === 7 || undefined, 'all reports')
  const paths = reached.received.map(({ path }) => path)
  expect(paths.slice(-stuck.length).toSorted()).toEqual(stuck.toSorted())
  expect(world.reports.every(({ status }) => status === 'SUCCESS')).toBe(true)
})

test('Each further attempt goes to the current address, also when the event was missed', async () => {
  const [left, reached] = [await sinkThat(() => 503), await sinkThat(() => 200)]
  const world = await openTestWorld({}, reached.url)
  const { path, message } = transferTo(left)
  await world.publish(message)
  await eventually(() => world.reports.length === 1 || undefined, 'the report')
  expect(left.received).toHaveLength(1)
  expect(reached.received.map((received) => received.path)).toEqual([path])
})

test('While the current address cannot be read, further attempts go to the stored one', async () => {
  let isWell = false
  const sink = await sinkThat(() => (isWell ? 200 : 503))
  const world = await openTestWorld({})
  const { path, message } = transferTo(sink)
  await world.publish(message)
  await eventually(() => sink.received.length === 3 || undefined, 'attempts in vain')
  isWell = true
  await eventually(() => world.reports.length === 1 || undefined, 'the report')
  expect(new Set(sink.received.map((received) => received.path))).toEqual(new Set([path]))
})
