import { expect, test } from '@jest/globals'
import { quantiles } from './quantiles.ts'

test('Quantiles are by nearest rank, whatever the order of the samples', () => {
  const samples = Array.from({ length: 100 }, (_, n) => 100 - n)
  expect(quantiles(samples)).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 })
})

test('All quantiles of a single sample are that sample', () => {
  expect(quantiles([7.26])).toEqual({ p50: 7.3, p95: 7.3, p99: 7.3, max: 7.3 })
})

test('Without samples all quantiles are 0', () => {
  expect(quantiles([])).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 })
})
