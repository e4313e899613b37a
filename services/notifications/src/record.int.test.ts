/** When what was delivered is stored: nobody waits for it, so it comes together. */
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Result } from './contract.ts'
import { openMeasures } from './measures.ts'
import { openRecord, type Record } from './record.ts'
import { delivered, heard, openStore } from './testing.ts'

let parts: TestParts
let record: Record

beforeEach(async () => {
  parts = await openTestParts()
  const db = await openStore(parts)
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

function deliveredNow(): Result {
  return delivered(heard({ url: 'http://127.0.0.1:9' }), false)
}

test('a few wait half a second for others', async () => {
  const [first, second] = [deliveredNow(), deliveredNow()]
  const all = Promise.all([record.soon([first]), record.soon([second])])
  jest.advanceTimersByTime(499)
  await record.now([deliveredNow()])
  const isWaiting = () => [first, second].map(({ notification: { id } }) => record.isWaiting(id))
  expect(isWaiting()).toEqual([true, true])
  jest.advanceTimersByTime(1)
  await all
  expect(isWaiting()).toEqual([false, false])
})

test('enough of them do not wait, and neither does what comes after wait for them', async () => {
  const most = Array.from({ length: 63 }, deliveredNow)
  const stored = record.soon(most)
  await Promise.all([stored, record.soon([deliveredNow()])])
  const next = deliveredNow()
  const later = record.soon([next])
  jest.advanceTimersByTime(499)
  await record.now([deliveredNow()])
  expect(record.isWaiting(next.notification.id)).toBe(true)
  jest.advanceTimersByTime(1)
  await later
})
