import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openRates } from './rates.ts'

test('A full bucket admits a burst, and then as many requests as have been refilled', () => {
  const rates = openRates({ per_s: 2, burst: 3 })
  const at = (now_ms: number) => rates.allows('a', now_ms)
  expect([at(0), at(0), at(0), at(0)]).toEqual([true, true, true, false])
  expect([at(499), at(500), at(501)]).toEqual([false, true, false])
  expect([at(60_000), at(60_000), at(60_000), at(60_000)]).toEqual([true, true, true, false])
})

test('The requests of one FSP take no tokens of another', () => {
  const rates = openRates({ per_s: 1, burst: 1 })
  expect([rates.allows('a', 0), rates.allows('a', 0), rates.allows('b', 0)]).toEqual([
    true,
    false,
    true,
  ])
})

test('A request that counts as many takes as many tokens, and passes when the bucket is full', () => {
  const rates = openRates({ per_s: 10, burst: 20 })
  expect([rates.allows('a', 0, 15), rates.allows('a', 0, 15), rates.allows('a', 0)]).toEqual([
    true,
    false,
    true,
  ])
  expect([...rates.admitted()]).toEqual([['a', 16]])
  expect([rates.allows('a', 60_000, 1_000), rates.allows('a', 60_000)]).toEqual([true, false])
})

test('Setting the clock back neither adds nor removes tokens', () => {
  const rates = openRates({ per_s: 1, burst: 1 })
  expect([rates.allows('a', 10_000), rates.allows('a', 0), rates.allows('a', 1_000)]).toEqual([
    true,
    false,
    true,
  ])
})

test('In any time span no more requests pass than the burst and the refill', () => {
  const steps = fc.array(fc.nat(400), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 50 }), fc.nat(20), (pauses, per_s, more) => {
      const burst = 1 + more
      const rates = openRates({ per_s, burst })
      const passed: number[] = []
      let now_ms = 0
      for (const pause of pauses) {
        now_ms += pause
        if (rates.allows('a', now_ms)) passed.push(now_ms)
      }
      for (const [first, from_ms] of passed.entries()) {
        for (const [last, to_ms] of passed.entries()) {
          if (last < first) continue
          const most = burst + ((to_ms - from_ms) / 1_000) * per_s
          expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6)
        }
      }
    }),
  )
})

test('Requests that other edges admitted are subtracted from the bucket, and never for long', () => {
  const rates = openRates({ per_s: 10, burst: 5 })
  expect(rates.allows('a', 0)).toBe(true)
  expect([...rates.admitted()]).toEqual([['a', 1]])
  rates.takeAway('a', 3)
  expect([rates.allows('a', 0), rates.allows('a', 0)]).toEqual([true, false])
  rates.takeAway('a', 1_000_000)
  expect([rates.allows('a', 1_000), rates.allows('a', 1_100)]).toEqual([false, true])
  expect(rates.admitted().get('a')).toBe(3)
})

test('Other bounds apply from the next request on', () => {
  const bounds = { per_s: 1, burst: 10 }
  const rates = openRates(bounds)
  expect(rates.allows('a', 0)).toBe(true)
  bounds.burst = 1
  expect([rates.allows('a', 0), rates.allows('a', 0)]).toEqual([true, false])
  bounds.per_s = 1_000
  expect(rates.allows('a', 1)).toBe(true)
})
