import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { loads } from './options.ts'
import { pairOf, planOf } from './plan.ts'

test('The measured payments lie within the full load, two seconds from either end', () => {
  expect(planOf({ payments: 1_000, rate: 200, warmup: 500, apart: undefined })).toEqual({
    total: 2_300,
    warmup: { from: 0, to: 500 },
    warmupRate: 100,
    run: { from: 500, to: 2_300 },
    measured: { from: 900, to: 1_900 },
  })
})

test('The warm-up is as fast before few payments a second, unless services run apart', () => {
  const rateOf = (rate: number, apart: number | undefined) =>
    planOf({ payments: 1_000, rate, warmup: 500, apart }).warmupRate
  expect(rateOf(10, undefined)).toBe(100)
  expect(rateOf(10, 1)).toBe(10)
  expect(rateOf(60, 2)).toBe(20)
})

test('No FSP pays itself, and every FSP number of a pair exists', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...loads),
      fc.integer({ min: 2, max: 50 }),
      fc.integer({ min: 0, max: 100_000 }),
      (load, fsps, n) => {
        const [payer, payee] = pairOf(load, fsps, n)
        expect(payer).not.toBe(payee)
        expect(Math.min(payer, payee)).toBeGreaterThanOrEqual(0)
        expect(Math.max(payer, payee)).toBeLessThan(fsps)
      },
    ),
  )
})

function payersOf(load: (typeof loads)[number], fsps: number): readonly number[] {
  const counts = Array.from({ length: fsps }, () => 0)
  for (let n = 0; n < 56_000; n += 1) {
    const [payer] = pairOf(load, fsps, n)
    counts[payer] = (counts[payer] ?? 0) + 1
  }
  return counts
}

test('With the load uniform every FSP pays as often as any other, and pays every other', () => {
  expect(new Set(payersOf('uniform', 8))).toEqual(new Set([7_000]))
  const pairs = new Set(Array.from({ length: 56 }, (_, n) => pairOf('uniform', 8, n).join('>')))
  expect(pairs.size).toBe(56)
})

test('With the load hot one FSP pays 70 % of all', () => {
  expect(payersOf('hot', 8)[0]).toBe(39_200)
})
