import { randomUUID } from 'node:crypto'
import { newEvent, type Payload } from '@causeway/events'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { deletePings } from './store.ts'
import { fsp, openWorld, ownDatabase, type AuthServiceWorld } from '../../testing/world.ts'

const services = [participantLifecycle, settlements] as const

let auth: AuthServiceWorld

beforeAll(async () => {
  auth = await openWorld(services)
})

afterAll(() => auth.stop())

type Received = Payload<'PingReceived'>

const start_ms = Date.parse('2026-05-01T12:00:00.000Z')
/** Each FSP of a test has its own last ping. */
let fsps = 0
const newFsp = () => `fsp${(fsps += 1)}`
const at = (ms: number) => new Date(start_ms + ms).toISOString()

function received(changes: Partial<Received> = {}) {
  return newEvent('fspiop-api', 'PingReceived', {
    pingId: randomUUID(),
    requesterFspId: fsp,
    version: '1.1',
    identity: 'mtls',
    kid: 'key-1',
    receivedAt: at(0),
    ...changes,
  })
}

function report(destinationFspId: string, entityId: string, changes: object = {}) {
  const one = {
    notificationId: randomUUID(),
    legRole: 'REQUESTER',
    destinationFspId,
    entityId,
    status: 'SUCCESS',
    attempts: 1,
    duration_ms: 5,
    reportedAt: at(1_000),
    ...changes,
  } as const
  return newEvent('fspiop-api', 'PingCallbackReport', { reports: [one] })
}

async function lastOf(name: string) {
  return (await auth.pings.GetLastPings({ names: [name] })).pings[0]
}

/** Waits until all earlier events are stored: events are processed in order. */
async function settled(): Promise<void> {
  const name = newFsp()
  await auth.parts.bus.publish([received({ requesterFspId: name })])
  await eventually(() => lastOf(name), 'everything before is stored')
}

const accepted = (pingId: string) =>
  auth.published.flatMap((event) =>
    event.name === 'PingAccepted' && event.payload.pingId === pingId ? [event] : [],
  )

test('A ping is stored, and its answer is announced once', async () => {
  const requesterFspId = newFsp()
  const event = received({ requesterFspId, pingId: 'p-1' })
  await auth.parts.bus.publish([event, event])
  await settled()
  await auth.parts.bus.publish([event])
  await settled()
  expect(await lastOf(requesterFspId)).toMatchObject({
    participant: requesterFspId,
    pingId: 'p-1',
    receivedAt: at(0),
    identity: 'mtls',
    kid: 'key-1',
  })
  await eventually(() => accepted('p-1').length > 0, 'it is published')
  expect(accepted('p-1').map(({ payload }) => payload)).toEqual([
    { pingId: 'p-1', requesterFspId, version: '1.1', receivedAt: at(0) },
  ])
})

test('The same id of two FSPs is two pings', async () => {
  const [one, two] = [newFsp(), newFsp()]
  const pingId = randomUUID()
  await auth.parts.bus.publish([
    received({ requesterFspId: one, pingId }),
    received({ requesterFspId: two, pingId, identity: 'token' }),
  ])
  await settled()
  expect(await lastOf(one)).toMatchObject({ pingId, identity: 'mtls' })
  expect(await lastOf(two)).toMatchObject({ pingId, identity: 'token' })
  await eventually(() => accepted(pingId).length === 2, 'both are published')
})

test("The newest outcome of the hub's own ping is stored with the ping", async () => {
  const name = newFsp()
  const pingId = randomUUID()
  const late = { status: 'SUCCESS', reportedAt: at(9_000) }
  const early = { status: 'FAILED', lastError: 'connect ECONNREFUSED', reportedAt: at(5_000) }
  await auth.parts.bus.publish([received({ requesterFspId: name, pingId })])
  await auth.parts.bus.publish([report(name, pingId, early)])
  await settled()
  expect(await lastOf(name)).toMatchObject({
    callbackStatus: 'FAILED',
    callbackError: 'connect ECONNREFUSED',
    callbackAt: at(5_000),
  })
  await auth.parts.bus.publish([report(name, pingId, late), report(name, pingId, early)])
  await settled()
  expect(await lastOf(name)).toMatchObject({ callbackStatus: 'SUCCESS' })
})

test('A repeated ping clears the earlier outcome and is answered again', async () => {
  const name = newFsp()
  const pingId = randomUUID()
  await auth.parts.bus.publish([received({ requesterFspId: name, pingId })])
  await auth.parts.bus.publish([report(name, pingId)])
  await settled()
  const again = { requesterFspId: name, pingId, receivedAt: at(2_000) }
  await auth.parts.bus.publish([received(again)])
  await auth.parts.bus.publish([report(name, pingId)])
  await settled()
  expect(await lastOf(name)).not.toHaveProperty('callbackStatus')
  await eventually(() => accepted(pingId).length === 2, 'both are answered')
})

test('A report about an unknown ping changes nothing', async () => {
  const name = newFsp()
  await auth.parts.bus.publish([report(name, randomUUID())])
  await settled()
  expect(await auth.pings.GetLastPings({ names: [name, 'a\0b', ''] })).toEqual({ pings: [] })
})

test('Old pings are deleted, except for the last one of an FSP', async () => {
  const name = newFsp()
  const pings = [0, 1_000, 2_000].map((ms) =>
    received({ requesterFspId: name, receivedAt: at(ms) }),
  )
  await auth.parts.bus.publish(pings)
  await settled()
  const database = await ownDatabase(auth.parts)
  await deletePings(database, new Date(start_ms + 3_600_000))
  await database.close()
  expect(await lastOf(name)).toMatchObject({ receivedAt: at(2_000) })
})

test('After a crash processed events are recognized and the others are processed', async () => {
  const [before, after] = [newFsp(), newFsp()]
  const pingId = randomUUID()
  await auth.parts.bus.publish([received({ requesterFspId: before, pingId })])
  await settled()
  await auth.parts.bus.publish([
    report(before, pingId),
    received({ requesterFspId: after, receivedAt: at(7_000) }),
  ])
  auth = await auth.crash()
  await eventually(() => lastOf(after), 'the ping that was on its way')
  expect(await lastOf(before)).toMatchObject({ pingId, callbackStatus: 'SUCCESS' })
})
