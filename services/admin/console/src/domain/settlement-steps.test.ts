import { expect, test } from '@jest/globals'
import {
  canAbort,
  canClose,
  canSettle,
  nextStep,
  settlementStep,
  stepLabels,
} from './settlement-steps.ts'

const states = [
  'PENDING_SETTLEMENT',
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLING',
  'SETTLED',
  'ABORTED',
]

test('an account steps to the state after its own, and from the last to none', () => {
  expect(states.map(nextStep)).toEqual([
    'PS_TRANSFERS_RECORDED',
    'PS_TRANSFERS_RESERVED',
    'PS_TRANSFERS_COMMITTED',
    'SETTLED',
    undefined,
    undefined,
    undefined,
  ])
})

test('a settlement steps with the accounts that lag behind', () => {
  const at = (...all: string[]) => settlementStep(all.map((state) => ({ state })))
  expect(at('PS_TRANSFERS_COMMITTED', 'SETTLED')).toBe('SETTLED')
  expect(at('PS_TRANSFERS_RECORDED', 'PENDING_SETTLEMENT')).toBe('PS_TRANSFERS_RECORDED')
  expect(at('SETTLED', 'SETTLED')).toBeUndefined()
  expect(at('ABORTED', 'ABORTED')).toBeUndefined()
  expect(at()).toBeUndefined()
})

test('a settlement can be aborted until one of its accounts is committed', () => {
  const allowed = states.filter((state) => canAbort(state, [{ state }]))
  expect(allowed).toEqual(states.slice(0, 3))
  expect(canAbort('PS_TRANSFERS_RESERVED', [{ state: 'PS_TRANSFERS_COMMITTED' }])).toBe(false)
})

test('only the open window is closed, and only closed ones are settled', () => {
  const windows = ['OPEN', 'PROCESSING', 'CLOSED', 'PENDING_SETTLEMENT', 'SETTLED', 'ABORTED']
  expect(windows.filter(canClose)).toEqual(['OPEN'])
  expect(windows.filter(canSettle)).toEqual(['CLOSED', 'PENDING_SETTLEMENT', 'ABORTED'])
})

test('every step has a word', () => {
  expect(Object.values(stepLabels).every((label) => label.length > 0)).toBe(true)
})
