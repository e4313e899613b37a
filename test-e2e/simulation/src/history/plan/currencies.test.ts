import { expect, test } from '@jest/globals'
import { paid, settled } from './currencies.ts'

test.each([
  [10_000n, 100n],
  [25_000n, 300n],
  [5_000n, 100n],
  [4_999n, 0n],
  [100n, 0n],
])(
  'The fee of %s ten-thousandths of EUR is %s: a percent, rounded half up to cents',
  (units, fee) => {
    expect(paid('EUR', units)).toEqual([
      { type: 'SETTLEMENT', units },
      { type: 'INTERCHANGE_FEE', units: fee },
    ])
  },
)

test('A payment that is settled later moves positions alone', () => {
  expect(paid('USD', 1n)).toEqual([{ type: 'POSITION', units: 1n }])
  expect(paid('KES', 1n)).toEqual([{ type: 'POSITION', units: 1n }])
})

test('A settlement takes the net from what is owed, and moves it to the account that it settles to', () => {
  const sums = (model: string) => settled(model, 5n).map(({ type, units }) => `${type} ${units}`)
  expect(sums('DEFERREDNET')).toEqual(['POSITION -5'])
  expect(sums('FEES')).toEqual(['INTERCHANGE_FEE -5', 'INTERCHANGE_FEE_SETTLEMENT 5'])
  expect(sums('GROSSLATER')).toEqual(['POSITION -5', 'SETTLEMENT 5'])
})
