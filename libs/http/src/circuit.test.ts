import { expect, test } from '@jest/globals'
import { afterBegin, afterEnd, closedCircuit, mayCall, type Circuit } from './circuit.ts'

const bounds = { failures_max: 3, trial_every_ms: 5_000 }

function after(signs: readonly boolean[], now_ms = 0): Circuit {
  return signs.reduce<Circuit>(
    (circuit, answered) => afterEnd(circuit, answered, now_ms, bounds),
    closedCircuit,
  )
}

test('Consecutive failures open the circuit, and an answer between them resets the count', () => {
  expect(mayCall(after([false, false, true, false, false]), 0)).toBe(true)
  expect(mayCall(after([false, false, false]), 0)).toBe(false)
})

test('While the circuit is open, one trial call is allowed per interval', () => {
  const open = after([false, false, false], 1_000)
  expect(mayCall(open, 5_999)).toBe(false)
  expect(mayCall(open, 6_000)).toBe(true)
  const trying = afterBegin(open, 6_000, bounds)
  expect(mayCall(trying, 6_001)).toBe(false)
  expect(mayCall(trying, 11_000)).toBe(true)
})

test('Late failures do not postpone the trial, and a failed trial waits for the next interval', () => {
  const open = after([false, false, false], 1_000)
  expect(afterEnd(open, false, 4_000, bounds)).toEqual(open)
  const trying = afterBegin(open, 6_000, bounds)
  expect(afterEnd(trying, false, 6_500, bounds)).toEqual(trying)
})

test('One answer closes the circuit', () => {
  const open = after([false, false, false], 1_000)
  expect(afterEnd(open, true, 6_500, bounds)).toEqual(closedCircuit)
})

test('A closed circuit allows every call', () => {
  expect(afterBegin(closedCircuit, 1_000, bounds)).toEqual(closedCircuit)
  expect(mayCall(closedCircuit, 1_000_000)).toBe(true)
})
