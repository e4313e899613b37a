import { expect, test } from '@jest/globals'
import { arrowOf, sinceText, type SequenceStep } from './sequence.ts'

test('The payer and the PISP are on the left, all others on the right, the hub in between', () => {
  const at = (step: SequenceStep) => {
    const { from, to } = arrowOf(step, ['greenbank', 'lemonpay'])
    return [from, to]
  }
  expect(at({ type: 'MESSAGE', from: 'greenbank' })).toEqual(['left', 'hub'])
  expect(at({ type: 'MESSAGE', from: 'lemonpay' })).toEqual(['left', 'hub'])
  expect(at({ type: 'MESSAGE', from: 'bluewallet' })).toEqual(['right', 'hub'])
  expect(at({ type: 'DELIVERY', to: 'greenbank' })).toEqual(['hub', 'left'])
  expect(at({ type: 'DELIVERY', to: 'stranger' })).toEqual(['hub', 'right'])
  expect(at({ type: 'DECISION' })).toEqual(['hub', 'hub'])
})

test('The time of a step is relative to the first step', () => {
  const first = '2030-01-01T00:00:00.000Z'
  const after = (ms: number) => sinceText(new Date(Date.parse(first) + ms).toISOString(), first)
  expect([0, 999, 1_550, 119_000, 300_000].map(after)).toEqual([
    '+0 ms',
    '+999 ms',
    '+1.5 s',
    '+119 s',
    '+5 min',
  ])
})
