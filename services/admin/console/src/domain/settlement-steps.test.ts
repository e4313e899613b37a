import { describe, expect, test } from '@jest/globals'
import {
  canAbort,
  canClose,
  canSettle,
  hasReached,
  nextStep,
  settlesLater,
  settlementStep,
  stepEffects,
  stepLabels,
  steps,
  waitsFor,
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

describe('a model settles', () => {
  const usd = {
    isActive: true,
    currency: 'USD',
    ledgerAccountTypeId: 'POSITION',
    settlementDelay: 'DEFERRED',
  }
  const fees = { ...usd, ledgerAccountTypeId: 'INTERCHANGE_FEE' }
  const rest = { ...usd, currency: null }
  const content = { state: 'CLOSED', currencyId: 'USD', ledgerAccountType: 'POSITION' }

  test('A model settles contents of its currency and account type', () => {
    const all = [usd, fees, rest]
    expect(waitsFor(content, usd, all)).toBe(true)
    expect(waitsFor({ ...content, state: 'ABORTED' }, usd, all)).toBe(true)
    expect(waitsFor({ ...content, state: 'SETTLED' }, usd, all)).toBe(false)
    expect(waitsFor({ ...content, currencyId: 'EUR' }, usd, all)).toBe(false)
    expect(waitsFor(content, fees, all)).toBe(false)
    expect(waitsFor({ ...content, ledgerAccountType: 'INTERCHANGE_FEE' }, fees, all)).toBe(true)
  })

  test('A model without currency settles the currencies that have no model of their own', () => {
    const all = [usd, fees, rest]
    expect(waitsFor(content, rest, all)).toBe(false)
    expect(waitsFor({ ...content, currencyId: 'EUR' }, rest, all)).toBe(true)
  })

  test('A model settles later, unless it is inactive, settles immediately, or has no transfers', () => {
    const models = [
      usd,
      { ...usd, isActive: false },
      { ...usd, settlementDelay: 'IMMEDIATE' },
      { ...usd, ledgerAccountTypeId: 'SETTLEMENT' },
    ]
    expect(models.map(settlesLater)).toEqual([true, false, false, false])
  })
})

test('An account steps to the state after its own, and from the last to none', () => {
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

test('A settlement steps with its accounts in the earliest state', () => {
  const at = (...all: string[]) => settlementStep(all.map((state) => ({ state })))
  expect(at('PS_TRANSFERS_COMMITTED', 'SETTLED')).toBe('SETTLED')
  expect(at('PS_TRANSFERS_RECORDED', 'PENDING_SETTLEMENT')).toBe('PS_TRANSFERS_RECORDED')
  expect(at('SETTLED', 'SETTLED')).toBeUndefined()
  expect(at('ABORTED', 'ABORTED')).toBeUndefined()
  expect(at()).toBeUndefined()
})

test('A settlement can be aborted until one of its accounts is committed', () => {
  const allowed = states.filter((state) => canAbort(state, [{ state }]))
  expect(allowed).toEqual(states.slice(0, 3))
  expect(canAbort('PS_TRANSFERS_RESERVED', [{ state: 'PS_TRANSFERS_COMMITTED' }])).toBe(false)
})

test('Only the open window is closed, and only closed ones are settled', () => {
  const windows = ['OPEN', 'PROCESSING', 'CLOSED', 'PENDING_SETTLEMENT', 'SETTLED', 'ABORTED']
  expect(windows.filter(canClose)).toEqual(['OPEN'])
  expect(windows.filter(canSettle)).toEqual(['CLOSED', 'PENDING_SETTLEMENT', 'ABORTED'])
})

test('Every step has a label and a description of its effect', () => {
  for (const words of [stepLabels, stepEffects]) {
    expect(Object.keys(words)).toEqual([...steps])
    expect(Object.values(words).every((label) => label.length > 0)).toBe(true)
  }
})

test('A settlement has reached its own step and those before', () => {
  const reached = (state: string) => steps.filter((step) => hasReached(state, step)).length
  expect(states.map(reached)).toEqual([1, 2, 3, 4, 4, 5, 0])
})
