import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { equalShare, openFairShares, type FairShares } from './fair-shares.ts'

const rates = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 20 })
const part = fc.double({ min: 0, max: 1, noNaN: true })
const sumOf = (all: readonly number[]) => all.reduce((sum, rate) => sum + rate, 0)

test('The rates bounded by the equal share add up to the admitted total', () => {
  fc.assert(
    fc.property(rates, part, (all, allowed) => {
      const share = equalShare(all, allowed * sumOf(all))
      const admitted = sumOf(all.map((rate) => Math.min(rate, share)))
      expect(admitted).toBeCloseTo(sumOf(all) * (share === Infinity ? 1 : allowed), 6)
    }),
  )
})

test('An FSP that sends no more than an equal part of the admitted rate is refused nothing', () => {
  fc.assert(
    fc.property(rates, part, (all, allowed) => {
      const equalPart = (sumOf(all) * allowed) / all.length
      expect(equalShare(all, allowed * sumOf(all))).toBeGreaterThanOrEqual(equalPart * (1 - 1e-9))
    }),
  )
})

/** Each FSP sends this many messages per 100 ms; the admitted messages of the last second. */
function send(
  shares: FairShares,
  counts: Readonly<Record<string, number>>,
  perSecond: number,
  { small = [], capacity = Infinity }: { small?: readonly string[]; capacity?: number } = {},
): ReadonlyMap<string, number> {
  const admitted = new Map<string, number>()
  for (let interval = 0; interval < 40; interval++) {
    for (const [fspId, count] of Object.entries(counts)) {
      for (let at = 0; at < count; at++) {
        const isIn = shares.admits(fspId)
        if (interval >= 30 && isIn) admitted.set(fspId, (admitted.get(fspId) ?? 0) + 1)
      }
    }
    shares.endInterval(100)
    shares.setRate(perSecond, new Set(small), capacity)
  }
  return admitted
}

test('While one FSP alone causes the overload, only its messages are refused', () => {
  const admitted = send(openFairShares(), { hot: 70, one: 10, two: 10, three: 10 }, 500)
  expect(admitted.get('one')).toBe(100)
  expect(admitted.get('two')).toBe(100)
  expect(admitted.get('three')).toBe(100)
  expect(admitted.get('hot')).toBeGreaterThanOrEqual(195)
  expect(admitted.get('hot')).toBeLessThanOrEqual(205)
})

test('FSPs with equal rates are refused equal fractions', () => {
  const admitted = send(openFairShares(), { one: 20, two: 20, three: 20 }, 450)
  for (const count of admitted.values()) expect(Math.abs(count - 150)).toBeLessThanOrEqual(5)
})

test('When nothing is to be refused every message is admitted, also of an FSP that was limited', () => {
  const shares = openFairShares()
  send(shares, { hot: 70, one: 10 }, 80)
  shares.setRate(Infinity, new Set(), Infinity)
  expect(Array.from({ length: 50 }, () => shares.admits('hot'))).not.toContain(false)
})

test('The first message of an unknown FSP is admitted', () => {
  const shares = openFairShares()
  send(shares, { hot: 70 }, 70)
  expect(shares.admits('new')).toBe(true)
})

test('The offered rate counts the messages of all FSPs, admitted or not, over about the last second', () => {
  const shares = openFairShares()
  send(shares, { hot: 70, one: 10 }, 80)
  expect(shares.endInterval(100)).toBeCloseTo(0.7 * 800, 0)
})

const asked = { hot: 70, one: 10, two: 10, three: 10 }
const small = ['one', 'two', 'three']

test('Small FSPs are admitted although the admitted rate is below their total', () => {
  const admitted = send(openFairShares(), asked, 100, { small })
  for (const fspId of small) expect(admitted.get(fspId)).toBeGreaterThan(95)
  expect(admitted.get('hot')).toBeLessThan(150)
})

test('Small FSPs are refused too when their total exceeds what the hub can process', () => {
  const admitted = send(openFairShares(), asked, 100, { small, capacity: 200 })
  for (const fspId of small) expect(admitted.get(fspId)).toBeLessThanOrEqual(55)
})

test('The average of the admitted rate leaves out what was refused', () => {
  const shares = openFairShares()
  for (let time = 0; time < 5; time++) send(shares, asked, 400)
  expect(shares.admitted).toBeGreaterThan(370)
  expect(shares.admitted).toBeLessThan(430)
})

test('An FSP without refusals has a credit of two messages when its fraction falls', () => {
  const shares = openFairShares()
  const ask = (fspId: string, count: number) =>
    Array.from({ length: count }, () => shares.admits(fspId)).filter(Boolean).length
  expect([ask('hot', 70), ask('one', 5)]).toEqual([70, 5])
  shares.endInterval(100)
  shares.setRate(1, new Set(['one']), 22)
  expect([ask('hot', 20), ask('one', 3)]).toEqual([3, 3])
})
