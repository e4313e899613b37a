import { expect, test } from '@jest/globals'
import { barsOf, linesOf } from './charts.ts'

test('The highest value fills the chart, and the others are in proportion', () => {
  expect(barsOf([5, 10, 0]).map(({ height }) => height)).toEqual([50, 100, 0])
})

test('Bars share the width of the chart and do not overlap', () => {
  const bars = barsOf([1, 1, 1, 1])
  const ends = bars.map(({ x, width }) => x + width)
  bars.slice(1).forEach(({ x }, at) => expect(x).toBeGreaterThan(ends[at] ?? 100))
  expect(ends.at(-1)).toBeLessThanOrEqual(100)
})

test('A chart of zeros, or of nothing, has no height', () => {
  expect(barsOf([0, 0]).map(({ height }) => height)).toEqual([0, 0])
  expect(barsOf([])).toEqual([])
})

test('A day without a value interrupts the line', () => {
  expect(linesOf([10, null, 5, 0], 10)).toEqual([
    '2.5,0 22.5,0',
    '52.5,50 72.5,50 77.5,100 97.5,100',
  ])
})
