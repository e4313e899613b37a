import { expect, test } from '@jest/globals'
import { measure, openTimeline } from './timeline.ts'

function marked() {
  const timeline = openTimeline(2, 2)
  timeline.scheduled(1, 1_000)
  timeline.mark(1, 0, 'ASKED', 1_005)
  timeline.mark(1, 0, 'REACHED', 1_010)
  timeline.mark(1, 0, 'ANSWERED', 1_012)
  timeline.mark(1, 0, 'DONE', 1_020)
  timeline.mark(1, 1, 'ASKED', 1_021)
  timeline.mark(1, 1, 'REACHED', 1_030)
  timeline.mark(1, 1, 'ANSWERED', 1_034)
  timeline.mark(1, 1, 'DONE', 1_040)
  return timeline
}

test('The first leg counts from its scheduled start, each other leg from the end of the one before', () => {
  expect(
    marked()
      .timesOf(1)
      .legs.map(({ total_ms }) => total_ms),
  ).toEqual([20, 20])
})

test("The hub's own time is without the time of payer and payee FSP", () => {
  expect(
    marked()
      .timesOf(1)
      .legs.map(({ hub_ms }) => hub_ms),
  ).toEqual([13, 15])
})

test('The time of a payment is the sum of its legs', () => {
  const { total_ms, hub_ms } = marked().timesOf(1)
  expect([total_ms, hub_ms]).toEqual([40, 28])
})

test('Only the given payments are measured', () => {
  const { latency_ms, legs } = measure(marked(), [1], ['quote', 'transfer'])
  expect(latency_ms).toEqual({ p50: 40, p95: 40, p99: 40, max: 40 })
  expect(legs.transfer?.hub_latency_ms.p99).toBe(15)
  expect(legs.lookup).toBeUndefined()
})
