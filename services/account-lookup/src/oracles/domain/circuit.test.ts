import { expect, test } from '@jest/globals'
import { afterBegin, afterEnd, closedCircuit, mayCall, type Circuit } from './circuit.ts'

const bounds = { failures_max: 3, trial_every_ms: 5_000 }

function after(signs: readonly boolean[], now_ms = 0): Circuit {
  return signs.reduce<Circuit>(
    (circuit, answered) => afterEnd(circuit, answered, now_ms, bounds),
    closedCircuit,
  )
}

test('failures in a row open it, and an answer between them begins the count anew', () => {
  expect(mayCall(after([false, false, true, false, false]), 0)).toBe(true)
  expect(mayCall(after([false, false, false]), 0)).toBe(false)
})

test('while it is open one call is let through each time, as a trial', () => {
  const open = after([false, false, false], 1_000)
  expect(mayCall(open, 5_999)).toBe(false)
  expect(mayCall(open, 6_000)).toBe(true)
  const trying = afterBegin(open, 6_000, bounds)
  expect(mayCall(trying, 6_001)).toBe(false)
  expect(mayCall(trying, 11_000)).toBe(true)
})

test('calls that fail late do not put off the trial, and a failed trial waits its time', () => {
  const open = after([false, false, false], 1_000)
  expect(afterEnd(open, false, 4_000, bounds)).toEqual(open)
  const trying = afterBegin(open, 6_000, bounds)
  expect(afterEnd(trying, false, 6_500, bounds)).toEqual(trying)
})

test('one answer closes it', () => {
  const open = after([false, false, false], 1_000)
  expect(afterEnd(open, true, 6_500, bounds)).toEqual(closedCircuit)
})

test('a closed one lets every call through', () => {
  expect(afterBegin(closedCircuit, 1_000, bounds)).toEqual(closedCircuit)
  expect(mayCall(closedCircuit, 1_000_000)).toBe(true)
})
