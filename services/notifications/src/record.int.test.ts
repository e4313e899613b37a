/** When results of notifications are stored, and which of them are followed by a pause. */
import { statement, type Database } from '@causeway/postgres'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { NotificationResult } from './contract.ts'
import { openMeasures } from './measures.ts'
import { openRecord, type Record } from './record.ts'
import { parkedResult } from './result.ts'
import { delivered, notificationFor, openStore } from './testing/world.ts'

let parts: TestParts
let record: Record
let db: Database
const moved_ms = 1_000

beforeEach(async () => {
  parts = await openTestParts()
  db = await openStore(parts)
  record = openRecord({
    db,
    bus: parts.bus,
    measures: openMeasures(parts.metrics, db),
    log: parts.log,
    waiting: { noteParked: () => undefined },
    lanes: { hasMovedSince: (fspId, time_ms) => fspId === 'bluewallet' && time_ms <= moved_ms },
    stopping: new AbortController().signal,
  })
  jest.useFakeTimers({
    doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setInterval'],
  })
})

afterEach(async () => {
  jest.useRealTimers()
  await parts.stop()
})

function deliveredNow(): NotificationResult {
  return delivered(notificationFor({ url: 'http://127.0.0.1:9' }), false)
}

/** Whether the results of the call are stored. */
function watch(stored: Promise<void>): { readonly isStored: boolean } {
  const watched = { isStored: false }
  void stored.then(() => (watched.isStored = true))
  return watched
}

test('A few delivered results wait half a second for others', async () => {
  const all = Promise.all([
    record.persistLater([deliveredNow()]),
    record.persistLater([deliveredNow()]),
  ])
  const watched = watch(all.then(() => undefined))
  jest.advanceTimersByTime(499)
  await record.persistNow([deliveredNow()])
  expect(watched.isStored).toBe(false)
  jest.advanceTimersByTime(1)
  await all
})

test('64 results are stored at once, and later ones are not stored with them', async () => {
  const most = Array.from({ length: 63 }, deliveredNow)
  const stored = record.persistLater(most)
  await Promise.all([stored, record.persistLater([deliveredNow()])])
  const later = record.persistLater([deliveredNow()])
  const watched = watch(later)
  jest.advanceTimersByTime(499)
  await record.persistNow([deliveredNow()])
  expect(watched.isStored).toBe(false)
  jest.advanceTimersByTime(1)
  await later
})

test('A failed attempt that began before its FSP moved is followed by no pause', async () => {
  const [before, after] = [failedAt(moved_ms), failedAt(moved_ms + 1)]
  await record.persistNow([before, after])
  const rows = await db.query<{ readonly id: string }>(
    statement('select notification_id as id from undelivered where next_attempt_at <= now()'),
    [],
  )
  expect(rows).toEqual([{ id: before.notification.id }])
})

/** Its next attempt is in an hour. */
function failedAt(began_ms: number): NotificationResult {
  const one = { began_ms, duration_ms: 1, httpStatus: 503, error: 'answered 503' }
  return {
    ...parkedResult(notificationFor({ url: 'http://127.0.0.1:9' }), Date.now() + 3_600_000),
    busy_until_ms: 0,
    tries: [one],
  } as NotificationResult
}
