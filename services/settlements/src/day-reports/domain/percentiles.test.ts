import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { percentilesOf } from './percentiles.ts'

test('Percentiles are by nearest rank', () => {
  const counted = [
    { duration_ms: 900, count: 1 },
    { duration_ms: 10, count: 90 },
    { duration_ms: 50, count: 9 },
  ]
  expect(percentilesOf(counted)).toEqual({ count: 100, p50_ms: 10, p95_ms: 50, p99_ms: 50 })
})

test('Without a measurement there are no percentiles', () => {
  expect(percentilesOf([])).toEqual({ count: 0, p50_ms: null, p95_ms: null, p99_ms: null })
})

test('Counted durations have the percentiles of the durations themselves', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 1 }), (durations) => {
      const sorted = durations.toSorted((a, b) => a - b)
      const rank = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1]
      expect(percentilesOf(durations.map((duration_ms) => ({ duration_ms, count: 1 })))).toEqual({
        count: durations.length,
        p50_ms: rank(50),
        p95_ms: rank(95),
        p99_ms: rank(99),
      })
    }),
  )
})
