/** When what was delivered is stored: nobody waits for it, so it comes together. */
import type { DomainEvent, Payload } from '@causeway/events'
import { ensureMonthlyPartitions } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { notificationOf, type Result } from './contract.ts'
import { noTries } from './domain/tries.ts'
import { openMeasures } from './measures.ts'
import { openRecord, type Record } from './record.ts'
import { notify } from './testing.ts'

let parts: TestParts
let record: Record

beforeEach(async () => {
  parts = await openTestParts()
  const db = await parts.openDatabase({
    url: '',
    schema: 'notifications',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: 2,
  })
  await ensureMonthlyPartitions(db, ['deliveries', 'undelivered'], new Date())
  record = openRecord({
    db,
    bus: parts.bus,
    measures: openMeasures(parts.metrics, db),
    log: parts.log,
    waiting: { parked: () => undefined },
  })
  jest.useFakeTimers({
    doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setInterval'],
  })
})

afterEach(async () => {
  jest.useRealTimers()
  await parts.stop()
})

function delivered(): Result {
  const message = notify({ url: 'http://127.0.0.1:9' })
  const payload = message.payload as Payload<'NotifyRequested'>
  const event = { id: message.id, name: message.type, payload } as DomainEvent<'NotifyRequested'>
  return {
    type: 'ENDED',
    notification: notificationOf(event, Date.now()),
    status: 'SUCCESS',
    attempts: 1,
    httpStatus: 200,
    error: null,
    tries: noTries,
    ended_ms: Date.now(),
    refusal: undefined,
    stored: false,
  }
}

test('a few wait half a second for others', async () => {
  const [first, second] = [delivered(), delivered()]
  const all = Promise.all([record.soon([first]), record.soon([second])])
  jest.advanceTimersByTime(499)
  await record.now([delivered()])
  const isWaiting = () => [first, second].map(({ notification: { id } }) => record.isWaiting(id))
  expect(isWaiting()).toEqual([true, true])
  jest.advanceTimersByTime(1)
  await all
  expect(isWaiting()).toEqual([false, false])
})

test('enough of them do not wait, and neither does what comes after wait for them', async () => {
  const most = Array.from({ length: 63 }, delivered)
  const stored = record.soon(most)
  await Promise.all([stored, record.soon([delivered()])])
  const next = delivered()
  const later = record.soon([next])
  jest.advanceTimersByTime(499)
  await record.now([delivered()])
  expect(record.isWaiting(next.notification.id)).toBe(true)
  jest.advanceTimersByTime(1)
  await later
})
