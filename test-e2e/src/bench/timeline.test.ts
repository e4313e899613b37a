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

test('the first leg counts from its scheduled start, each other from the end of the one before', () => {
  expect(
    marked()
      .timesOf(1)
      .legs.map(({ total_ms }) => total_ms),
  ).toEqual([20, 20])
})

test("the hub's own part is without what payer and payee FSP held", () => {
  expect(
    marked()
      .timesOf(1)
      .legs.map(({ hub_ms }) => hub_ms),
  ).toEqual([13, 15])
})

test('the whole is the sum of its legs', () => {
  const { total_ms, hub_ms } = marked().timesOf(1)
  expect([total_ms, hub_ms]).toEqual([40, 28])
})

test('only the payments that are named are measured', () => {
  const { latency_ms, legs } = measure(marked(), [1], ['quote', 'transfer'])
  expect(latency_ms).toEqual({ p50: 40, p95: 40, p99: 40, max: 40 })
  expect(legs.transfer?.hub_latency_ms.p99).toBe(15)
  expect(legs.lookup).toBeUndefined()
})
