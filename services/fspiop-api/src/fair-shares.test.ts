import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { equalShare, openFairShares, type FairShares } from './fair-shares.ts'

const rates = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 20 })
const part = fc.double({ min: 0, max: 1, noNaN: true })
const sumOf = (all: readonly number[]) => all.reduce((sum, rate) => sum + rate, 0)

test('what is let in at an equal share is what may be let in of all', () => {
  fc.assert(
    fc.property(rates, part, (all, allowed) => {
      const share = equalShare(all, allowed * sumOf(all))
      const letIn = sumOf(all.map((rate) => Math.min(rate, share)))
      expect(letIn).toBeCloseTo(sumOf(all) * (share === Infinity ? 1 : allowed), 6)
    }),
  )
})

test('an FSP that asks for no more than an equal part of what is let in gets all of it', () => {
  fc.assert(
    fc.property(rates, part, (all, allowed) => {
      const equalPart = (sumOf(all) * allowed) / all.length
      expect(equalShare(all, allowed * sumOf(all))).toBeGreaterThanOrEqual(equalPart * (1 - 1e-9))
    }),
  )
})

/** Each asks so often per interval of 100 ms; how many of the last second were let in at this rate. */
function askFor(
  shares: FairShares,
  counts: Readonly<Record<string, number>>,
  perSecond: number,
): ReadonlyMap<string, number> {
  const letIn = new Map<string, number>()
  for (let interval = 0; interval < 40; interval++) {
    for (const [fspId, count] of Object.entries(counts)) {
      for (let at = 0; at < count; at++) {
        const isIn = shares.asks(fspId)
        if (interval >= 30 && isIn) letIn.set(fspId, (letIn.get(fspId) ?? 0) + 1)
      }
    }
    shares.ended(100)
    shares.letIn(perSecond)
  }
  return letIn
}

test('while one FSP alone is too much, only its messages are refused', () => {
  const letIn = askFor(openFairShares(), { hot: 70, one: 10, two: 10, three: 10 }, 500)
  expect(letIn.get('one')).toBe(100)
  expect(letIn.get('two')).toBe(100)
  expect(letIn.get('three')).toBe(100)
  expect(letIn.get('hot')).toBeGreaterThanOrEqual(195)
  expect(letIn.get('hot')).toBeLessThanOrEqual(205)
})

test('of FSPs that ask for the same the same part is refused', () => {
  const letIn = askFor(openFairShares(), { one: 20, two: 20, three: 20 }, 450)
  for (const count of letIn.values()) expect(Math.abs(count - 150)).toBeLessThanOrEqual(5)
})

test('when nothing is to be refused everything is let in, also of an FSP that was held back', () => {
  const shares = openFairShares()
  askFor(shares, { hot: 70, one: 10 }, 80)
  shares.letIn(Infinity)
  expect(Array.from({ length: 50 }, () => shares.asks('hot'))).not.toContain(false)
})

test('an FSP that nothing is known of is let in', () => {
  const shares = openFairShares()
  askFor(shares, { hot: 70 }, 70)
  expect(shares.asks('new')).toBe(true)
})

test('what is offered is what all FSPs ask for, let in or not, over the last second or so', () => {
  const shares = openFairShares()
  askFor(shares, { hot: 70, one: 10 }, 80)
  expect(shares.ended(100)).toBeCloseTo(0.7 * 800, 0)
})

test('small FSPs are let in where less is let in for a while than they ask for together', () => {
  const shares = openFairShares()
  const asked = { hot: 70, one: 10, two: 10, three: 10 }
  askFor(shares, asked, 600)
  const letIn = askFor(shares, asked, 100)
  for (const fspId of ['one', 'two', 'three']) expect(letIn.get(fspId)).toBeGreaterThan(95)
  expect(letIn.get('hot')).toBeLessThan(150)
})

test('small FSPs are refused, too, where the hub has done less for long than they ask for', () => {
  const shares = openFairShares()
  const asked = { hot: 70, one: 10, two: 10, three: 10 }
  for (let time = 0; time < 10; time++) askFor(shares, asked, 100)
  const letIn = askFor(shares, asked, 100)
  for (const fspId of ['one', 'two', 'three']) expect(letIn.get(fspId)).toBeLessThan(50)
})

test('an FSP all of whose messages were let in has two to spare when its part falls', () => {
  const shares = openFairShares()
  const ask = (fspId: string, count: number) =>
    Array.from({ length: count }, () => shares.asks(fspId)).filter(Boolean).length
  expect([ask('hot', 70), ask('one', 5)]).toEqual([70, 5])
  shares.ended(100)
  shares.letIn(1)
  expect([ask('hot', 20), ask('one', 3)]).toEqual([3, 3])
})
