import { expect, test } from '@jest/globals'
import { afterAttempt, afterTrialBegan, closedCircuit, trialDue, type Circuit } from './circuit.ts'

const bounds = { failures_max: 5, trial_every_ms: 5_000 }

function after(signs: readonly boolean[], now_ms = 0): Circuit {
  return signs.reduce<Circuit>(
    (circuit, healthy) => afterAttempt(circuit, healthy, now_ms, bounds),
    closedCircuit,
  )
}

test('five bad signs in a row open it', () => {
  expect(after([false, false, false, false])).toEqual({ state: 'CLOSED', failures: 4 })
  expect(after([false, false, false, false, false], 1_000)).toEqual({
    state: 'OPEN',
    trial_at_ms: 6_000,
  })
})

test('a good sign between them begins the count anew', () => {
  expect(after([false, false, false, false, true, false])).toEqual({ state: 'CLOSED', failures: 1 })
})

test('while it is open one trial is due each five seconds', () => {
  const open = after([false, false, false, false, false], 1_000)
  expect(trialDue(open, 5_999)).toBe(false)
  expect(trialDue(open, 6_000)).toBe(true)
  const trying = afterTrialBegan(open, 6_000, bounds)
  expect(trialDue(trying, 6_001)).toBe(false)
  expect(trialDue(trying, 11_000)).toBe(true)
})

test('attempts that fail late do not put off the trial', () => {
  const open = after([false, false, false, false, false], 1_000)
  expect(afterAttempt(open, false, 5_000, bounds)).toEqual(open)
})

test('one good sign closes it', () => {
  const open = after([false, false, false, false, false], 1_000)
  expect(afterAttempt(open, true, 7_000, bounds)).toEqual(closedCircuit)
})

test('a closed one knows no trials', () => {
  expect(trialDue(closedCircuit, 1_000_000)).toBe(false)
  expect(afterTrialBegan(closedCircuit, 1_000, bounds)).toEqual(closedCircuit)
})
