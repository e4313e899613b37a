import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openQueueDelay, type QueueDelay } from './queue-delay.ts'

const start_ms = 1_700_000_000_000

/** Events of these ages, spread evenly over the time; the last one at its end. */
function note(
  queueDelay: QueueDelay,
  name: string,
  ages_ms: readonly number[],
  over_ms = 99,
): void {
  ages_ms.forEach((age_ms, at) => {
    queueDelay.observe(name, age_ms, start_ms + Math.floor((at * over_ms) / (ages_ms.length - 1)))
  })
}

const ages = (count: number, age_ms: number) => Array.from({ length: count }, () => age_ms)

test('An interval ends after 100 ms, or later with its tenth event', () => {
  const queueDelay = openQueueDelay()
  note(queueDelay, 'TransferPrepared', ages(40, 900), 99)
  expect(queueDelay.at(start_ms + 99)).toBe(0)
  expect(queueDelay.at(start_ms + 100)).toBe(900)

  const slow = openQueueDelay()
  note(slow, 'TransferPrepared', ages(9, 900), 800)
  expect(slow.at(start_ms + 800)).toBe(0)
  slow.observe('TransferPrepared', 900, start_ms + 810)
  expect(slow.at(start_ms + 810)).toBe(900)
})

test('Ten events at once are measured, however long before and after them nothing arrives', () => {
  const queueDelay = openQueueDelay()
  for (const at_ms of [start_ms, start_ms + 5_000, start_ms + 10_000]) {
    for (let n = 0; n < 10; n++) queueDelay.observe('TransferPrepared', 900, at_ms)
    expect(queueDelay.at(at_ms + 99)).toBe(0)
    expect(queueDelay.at(at_ms + 1_500)).toBe(900)
  }
})

test('One fast message shows that there is no queue', () => {
  const queueDelay = openQueueDelay()
  note(queueDelay, 'TransferPrepared', [5, ...ages(100, 9_000)])
  expect(queueDelay.at(start_ms + 100)).toBe(5)
})

test('A slow kind of event is not hidden by a fast one', () => {
  const queueDelay = openQueueDelay()
  note(queueDelay, 'TransferPrepared', ages(100, 4_000))
  note(queueDelay, 'QuoteRequestAccepted', ages(100, 10))
  expect(queueDelay.at(start_ms + 100)).toBe(4_000)
})

test('The result of a kind is used for a second, also while other kinds have newer results', () => {
  const queueDelay = openQueueDelay()
  note(queueDelay, 'TransferPrepared', ages(100, 4_000))
  expect(queueDelay.at(start_ms + 100)).toBe(4_000)
  note(queueDelay, 'QuoteRequestAccepted', ages(100, 10), 900)
  expect(queueDelay.at(start_ms + 1_100)).toBe(4_000)
  expect(queueDelay.at(start_ms + 1_101)).toBe(10)
  expect(queueDelay.at(start_ms + 2_000)).toBe(0)
})

test('Fewer than ten events of a kind within a second have no result', () => {
  const queueDelay = openQueueDelay()
  for (let at = 0; at < 100; at++) {
    queueDelay.observe('TransferPrepared', 60_000, start_ms + at * 112)
    expect(queueDelay.at(start_ms + at * 112)).toBe(0)
  }
})

test('While ten messages wait and nothing ends for more than a second, the delay is the time since the last end', () => {
  const queueDelay = openQueueDelay()
  for (let at = 0; at < 9; at++) queueDelay.begin(start_ms + at)
  expect(queueDelay.at(start_ms + 1_001)).toBe(0)
  queueDelay.begin(start_ms + 1_000)
  expect(queueDelay.at(start_ms + 1_000)).toBe(0)
  expect(queueDelay.at(start_ms + 1_001)).toBe(1_001)
  expect(queueDelay.at(start_ms + 5_000)).toBe(5_000)
  queueDelay.begin(start_ms + 5_000)
  queueDelay.end(start_ms + 5_000)
  expect(queueDelay.at(start_ms + 6_000)).toBe(0)
  expect(queueDelay.at(start_ms + 6_100)).toBe(1_100)
  queueDelay.observe('TransferPrepared', 20, start_ms + 6_200)
  expect(queueDelay.at(start_ms + 6_200)).toBe(0)
})

test('Messages that have ended are no delay, stored or refused, however long nothing follows', () => {
  const queueDelay = openQueueDelay()
  for (let at = 0; at < 100; at++) {
    queueDelay.begin(start_ms + at)
    queueDelay.end(start_ms + at)
    expect(queueDelay.at(start_ms + at)).toBe(0)
  }
  queueDelay.begin(start_ms + 3_600_000)
  expect(queueDelay.at(start_ms + 3_600_001)).toBe(0)
})

test('Setting the clock back starts a new interval', () => {
  const queueDelay = openQueueDelay()
  note(queueDelay, 'TransferPrepared', ages(100, 900))
  const back_ms = start_ms - 3_600_000
  expect(queueDelay.at(back_ms)).toBe(0)
  for (let at = 0; at <= 20; at++) queueDelay.observe('TransferPrepared', 700, back_ms + at * 5)
  expect(queueDelay.at(back_ms + 100)).toBe(700)
})

test('The delay is the minimum over enough events', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { minLength: 10, maxLength: 200 }), (ages_ms) => {
      const queueDelay = openQueueDelay()
      note(queueDelay, 'TransferPrepared', ages_ms)
      expect(queueDelay.at(start_ms + 100)).toBe(Math.min(...ages_ms))
    }),
  )
})
