import { expect, test } from '@jest/globals'
import { openStallDetector } from './stall-detector.ts'

test('A process without progress has stalled while brokers answer', () => {
  const standstill = openStallDetector(() => 1_000_000)
  expect(standstill(undefined, 0)).toBeUndefined()
  expect(standstill(70_000, 400)).toBe(70_000)
})

test('No process has stalled while no broker answers, and for the first moment after that', () => {
  let now_ms = 1_000_000
  const standstill = openStallDetector(() => now_ms)
  expect(standstill(70_000, 5_000)).toBeUndefined()
  now_ms += 6_000
  expect(standstill(76_000, 11_000)).toBeUndefined()
  now_ms += 6_000
  expect(standstill(82_000, 10)).toBe(6_000)
  now_ms += 60_000
  expect(standstill(142_000, 10)).toBe(66_000)
  expect(standstill(300, 10)).toBe(300)
})
