/** The order of the notifications of one entity: none overtakes another, and none is forgotten. */
import { randomUUID } from 'node:crypto'
import type { Database } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { notificationsService } from '@causeway/protos'
import { openTestParts } from '@causeway/runtime/testing'
import { afterEach, describe, expect, test } from '@jest/globals'
import type { NotificationResult } from './contract.ts'
import { claimDue } from './parked-store.ts'
import { parkedResult } from './result.ts'
import { save } from './store.ts'
import {
  delivered,
  notificationFor,
  notify,
  openSink,
  openWorld,
  openStore,
  type Sink,
  type NotificationsWorld,
} from './testing/world.ts'

const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function sinkThat(answers: Sink['answers']): Promise<Sink> {
  const sink = await openSink(answers)
  ends.push(() => sink.close())
  return sink
}

async function openTestWorld(...how: Parameters<typeof openWorld>): Promise<NotificationsWorld> {
  const world = await openWorld(...how)
  ends.push(() => world.stop())
  return world
}

/** In the order of the first successful receipt. */
const bodiesAt = ({ received }: Sink) => received.map(({ body }) => body.toString())

describe('Notifications behind another of their entity', () => {
  test('Any number of notifications behind a parked one is sent in order once it is delivered', async () => {
    let isWell = false
    const sink = await sinkThat(() => (isWell ? 200 : 503))
    const { publish, reports } = await openTestWorld()
    const entityId = randomUUID()
    const steps = Array.from({ length: 1_000 }, (_, step) => String(step))
    await publish(...steps.map((body) => notify({ url: sink.url, entityId, body })))
    await eventually(() => (sink.received.length > 3 ? true : undefined), 'attempts in vain')
    isWell = true
    const before = sink.received.length
    await eventually(() => (reports.length === 1_000 ? true : undefined), 'all reports', 60_000)
    const outcomes = bodiesAt(sink).slice(before - 1)
    expect(outcomes.filter((body, at) => body !== outcomes[at - 1]).slice(-1_000)).toEqual(steps)
  }, 90_000)

  test('Notifications behind a parked one are sent once it is a dead letter', async () => {
    let isWell = false
    const sink = await sinkThat(({ body }) => (isWell && body.toString() !== 'first' ? 200 : 503))
    const { publish, reports } = await openTestWorld()
    const entityId = randomUUID()
    await publish(
      notify({ url: sink.url, entityId, body: 'first', deadline_ms: 500 }),
      notify({ url: sink.url, entityId, body: 'second' }),
      notify({ url: sink.url, entityId, body: 'third' }),
    )
    isWell = true
    await eventually(() => (reports.length === 3 ? true : undefined), 'all reports')
    expect(reports.map(({ status }) => status)).toEqual(['FAILED', 'SUCCESS', 'SUCCESS'])
    expect(bodiesAt(sink).slice(-2)).toEqual(['second', 'third'])
  })

  test('A resent dead letter is sent before later notifications of its entity', async () => {
    let isWell = false
    const sink = await sinkThat(() => (isWell ? 200 : 503))
    const { publish, reports, parts } = await openTestWorld()
    const entityId = randomUUID()
    const first = notify({ url: sink.url, entityId, body: 'first', deadline_ms: 100 })
    await publish(first)
    await eventually(() => (reports.length === 1 ? true : undefined), 'the dead letter')
    await publish(
      notify({ url: sink.url, entityId, body: 'second' }),
      notify({ url: sink.url, entityId, body: 'third' }),
    )
    await eventually(() => bodiesAt(sink).includes('second') || undefined, 'the second, in vain')
    const operator = parts.grpc.client(notificationsService, 'notifications')
    await operator.ResendDeadLetters({ ids: [first.id] })
    const from = sink.received.length
    await eventually(
      () => bodiesAt(sink).slice(from).includes('first') || undefined,
      'the first one again',
    )
    isWell = true
    await eventually(() => (reports.length === 4 ? true : undefined), 'all reports')
    expect(bodiesAt(sink).slice(-3)).toEqual(['first', 'second', 'third'])
  })
})

test('Notifications parked by a process that has ended are delivered by another', async () => {
  const sink = await sinkThat(() => 200)
  const { parts, publish, reports } = await openTestWorld()
  await publish(notify({ url: sink.url }))
  await eventually(() => (reports.length === 1 ? true : undefined), 'a quiet service')
  const other = await openStore(parts)
  const left = parked(randomUUID(), sink.url)
  await other.transaction((tx) => save(tx, [left]))
  await eventually(() => (reports.length === 2 ? true : undefined), 'the second report')
  expect(reports[1]?.notificationId).toBe(left.notification.id)
})

test('A notification parked while its predecessor is delivered is not forgotten', async () => {
  const db = await openTables()
  for (let round = 0; round < 100; round++) {
    const entityId = randomUUID()
    const [before, behind] = [parked(entityId), parked(entityId)]
    await db.transaction((tx) => save(tx, [before]))
    await Promise.all([
      db.transaction((tx) => save(tx, [deliveredNow(before)])),
      db.transaction((tx) => save(tx, [behind])),
    ])
    const claimed = await claim(db)
    expect(claimed).toEqual([behind.notification.id])
    await db.transaction((tx) => save(tx, [deliveredNow(behind)]))
  }
})

test('Only one notification of an entity is claimed at a time', async () => {
  const db = await openTables()
  const [entityId, other] = [randomUUID(), randomUUID()]
  const [first, second, third] = [parked(entityId), parked(entityId), parked(other)]
  await db.transaction((tx) => save(tx, [first, second, third]))
  const ids = [first, third].map(({ notification }) => notification.id)
  expect(new Set(await claim(db))).toEqual(new Set(ids))
  expect(await claim(db)).toEqual([])
})

async function openTables(): Promise<Database> {
  const parts = await openTestParts()
  ends.push(() => parts.stop())
  return openStore(parts)
}

async function claim(db: Database): Promise<readonly string[]> {
  // Later than what has just been parked.
  const now = new Date(Date.now() + 1)
  const bounds = { now, until: new Date(now.getTime() + 60_000), rows_max: 10 }
  const claimed = await db.transaction((tx) =>
    claimDue(tx, [{ fspId: 'bluewallet', source: '', slots: 10, trial: false }], bounds),
  )
  return claimed.map(({ notification }) => notification.id)
}

function parked(entityId: string, url = 'http://127.0.0.1:9'): NotificationResult {
  return parkedResult(notificationFor({ url, entityId }), undefined)
}

function deliveredNow({ notification }: NotificationResult): NotificationResult {
  return delivered(notification, true)
}
