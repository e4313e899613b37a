import { eventually } from '@causeway/process/testing'
import { notificationsParticipantStatesService } from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notify, openSink, openWorld, type Sink, type NotificationsWorld } from './testing/world.ts'

const hour_ms = 3_600_000

let sink: Sink
let world: NotificationsWorld

beforeAll(async () => {
  sink = await openSink(() => 503)
  // Its next attempt would be in an hour.
  world = await openWorld({
    NOTIFICATIONS_RETRY_FIRST_MS: hour_ms,
    NOTIFICATIONS_RETRY_MAX_MS: hour_ms,
  })
})

afterAll(async () => {
  await world.stop()
  await sink.close()
})

test('Notifications parked for an FSP are sent at once when it is active again', async () => {
  const outcomes = world.parts.grpc.client(notificationsParticipantStatesService, 'notifications')
  const state = { participantId: 'bluewallet', changedAt: '' }
  await world.publish(notify({ url: sink.url, deadline_ms: 2 * hour_ms }))
  await eventually(() => sink.received.length === 1 || undefined, 'the first attempt')
  sink.answers = () => 200
  const off = {
    ...state,
    oldStateName: 'ACTIVE',
    newStateName: 'INACTIVE',
    isActive: false,
    version: 5,
  }
  await outcomes.ParticipantStateUpdated(off)
  const on = { ...state, oldStateName: 'INACTIVE', newStateName: 'ACTIVE', isActive: true }
  // The first attempt may still be being stored.
  let version = off.version
  await eventually(async () => {
    version += 1
    await outcomes.ParticipantStateUpdated({ ...on, version })
    return world.reports.length === 1 || undefined
  }, 'its delivery')
  expect(sink.received).toHaveLength(2)
  expect(await outcomes.ParticipantStateUpdated({ ...on, version: 1 })).toEqual({ version })
})
