import { expect, test } from '@jest/globals'
import { afterAttempt, afterTrialBegan, closedCircuit, trialDue, type Circuit } from './circuit.ts'

const bounds = { failures_max: 5, trial_every_ms: 5_000 }

function after(signs: readonly boolean[], now_ms = 0): Circuit {
  return signs.reduce<Circuit>(
    (circuit, healthy) => afterAttempt(circuit, healthy, now_ms, bounds),
    closedCircuit,
  )
}

test('Five failures in a row open the circuit', () => {
  expect(after([false, false, false, false])).toEqual({ state: 'CLOSED', failures: 4 })
  expect(after([false, false, false, false, false], 1_000)).toEqual({
    state: 'OPEN',
    trial_at_ms: 6_000,
  })
})

test('A success resets the count of failures', () => {
  expect(after([false, false, false, false, true, false])).toEqual({ state: 'CLOSED', failures: 1 })
})

test('While the circuit is open one trial is due every five seconds', () => {
  const open = after([false, false, false, false, false], 1_000)
  expect(trialDue(open, 5_999)).toBe(false)
  expect(trialDue(open, 6_000)).toBe(true)
  const trying = afterTrialBegan(open, 6_000, bounds)
  expect(trialDue(trying, 6_001)).toBe(false)
  expect(trialDue(trying, 11_000)).toBe(true)
})

test('Attempts that fail late do not postpone the next trial', () => {
  const open = after([false, false, false, false, false], 1_000)
  expect(afterAttempt(open, false, 5_000, bounds)).toEqual(open)
})

test('One success closes the circuit', () => {
  const open = after([false, false, false, false, false], 1_000)
  expect(afterAttempt(open, true, 7_000, bounds)).toEqual(closedCircuit)
})

test('A closed circuit has no trials', () => {
  expect(trialDue(closedCircuit, 1_000_000)).toBe(false)
  expect(afterTrialBegan(closedCircuit, 1_000, bounds)).toEqual(closedCircuit)
})
