import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { equalShare, openFairShares, type FairShares } from './fair-shares.ts'

const rates = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 20 })
const part = fc.double({ min: 0, max: 1, noNaN: true })

test('what is let in at an equal share is the part of the sum that may be let in', () => {
  fc.assert(
    fc.property(rates, part, (all, allowed) => {
      const share = equalShare(all, allowed)
      const letIn = all.reduce((sum, rate) => sum + Math.min(rate, share), 0)
      const sum = all.reduce((total, rate) => total + rate, 0)
      expect(letIn).toBeCloseTo(sum * (share === Infinity ? 1 : allowed), 6)
    }),
  )
})

test('an FSP that asks for no more than an equal part of what is let in gets all of it', () => {
  fc.assert(
    fc.property(rates, part, (all, allowed) => {
      const equalPart = (all.reduce((sum, rate) => sum + rate, 0) * allowed) / all.length
      expect(equalShare(all, allowed)).toBeGreaterThanOrEqual(equalPart * (1 - 1e-9))
    }),
  )
})

/** Each asks so often per interval of 100 ms; how many of the last second were let in. */
function askFor(
  shares: FairShares,
  counts: Readonly<Record<string, number>>,
  refused: number,
): ReadonlyMap<string, number> {
  const letIn = new Map<string, number>()
  for (let interval = 0; interval < 40; interval++) {
    for (const [fspId, count] of Object.entries(counts)) {
      for (let at = 0; at < count; at++) {
        const isIn = shares.asks(fspId)
        if (interval >= 30 && isIn) letIn.set(fspId, (letIn.get(fspId) ?? 0) + 1)
      }
    }
    shares.update(refused, 100)
  }
  return letIn
}

test('while one FSP alone is too much, only its messages are refused', () => {
  const letIn = askFor(openFairShares(), { hot: 70, one: 10, two: 10, three: 10 }, 0.5)
  expect(letIn.get('one')).toBe(100)
  expect(letIn.get('two')).toBe(100)
  expect(letIn.get('three')).toBe(100)
  expect(letIn.get('hot')).toBeGreaterThanOrEqual(195)
  expect(letIn.get('hot')).toBeLessThanOrEqual(205)
})

test('of FSPs that ask for the same the same part is refused', () => {
  const letIn = askFor(openFairShares(), { one: 20, two: 20, three: 20 }, 0.25)
  for (const count of letIn.values()) expect(Math.abs(count - 150)).toBeLessThanOrEqual(5)
})

test('when nothing is to be refused everything is let in, also of an FSP that was held back', () => {
  const shares = openFairShares()
  askFor(shares, { hot: 70, one: 10 }, 0.9)
  shares.update(0, 100)
  expect(Array.from({ length: 50 }, () => shares.asks('hot'))).not.toContain(false)
})

test('an FSP that nothing is known of is let in', () => {
  const shares = openFairShares()
  askFor(shares, { hot: 70 }, 0.9)
  expect(shares.asks('new')).toBe(true)
})
