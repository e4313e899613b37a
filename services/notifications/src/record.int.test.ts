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

function deliveredNow(): Result {
  return delivered(heard({ url: 'http://127.0.0.1:9' }), false)
}

/** Whether the results of the call are stored by now. */
function watch(stored: Promise<void>): { readonly isStored: boolean } {
  const watched = { isStored: false }
  void stored.then(() => (watched.isStored = true))
  return watched
}

test('a few results wait half a second for others', async () => {
  const all = Promise.all([record.soon([deliveredNow()]), record.soon([deliveredNow()])])
  const watched = watch(all.then(() => undefined))
  jest.advanceTimersByTime(499)
  await record.now([deliveredNow()])
  expect(watched.isStored).toBe(false)
  jest.advanceTimersByTime(1)
  await all
})

test('64 results are stored without a wait, and what comes after them is not stored with them', async () => {
  const most = Array.from({ length: 63 }, deliveredNow)
  const stored = record.soon(most)
  await Promise.all([stored, record.soon([deliveredNow()])])
  const later = record.soon([deliveredNow()])
  const watched = watch(later)
  jest.advanceTimersByTime(499)
  await record.now([deliveredNow()])
  expect(watched.isStored).toBe(false)
  jest.advanceTimersByTime(1)
  await later
})
