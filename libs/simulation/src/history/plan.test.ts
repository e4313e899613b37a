import { expect, test } from '@jest/globals'
import { planOf } from './plan.ts'

const plans = Array.from({ length: 500 }, (_, index) => planOf(7, index))

test('A seed and a number always give the same history', () => {
  expect(planOf(7, 3)).toEqual(planOf(7, 3))
  expect(planOf(7, 3)).not.toEqual(planOf(7, 4))
  expect(planOf(8, 3)).not.toEqual(planOf(7, 3))
})

test('A history survives being stored as JSON', () => {
  expect(JSON.parse(JSON.stringify(plans[0]))).toEqual(plans[0])
})

test('Every kind of fault occurs, several in one history, and some histories have none', () => {
  const counts = plans.map(({ faults }) => faults.length)
  expect(counts).toContain(0)
  expect(Math.max(...counts)).toBeGreaterThan(2)
  expect(
    [...new Set(plans.flatMap(({ faults }) => faults.map(({ type }) => type)))].sort(),
  ).toEqual([
    'CALL',
    'CALLBACK',
    'CLOCK',
    'CRASH',
    'CUT',
    'FREEZE',
    'LOCK_OUT',
    'REFUSE',
    'REQUEST',
    'SLOW',
    'STOP',
  ])
})
