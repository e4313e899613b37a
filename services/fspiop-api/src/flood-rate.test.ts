import { expect, test } from '@jest/globals'
import { openFloodRate } from './flood-rate.ts'

const step = { length_ms: 100, offered: 1_000, processed: 500 }

/** Other FSPs send at most ten requests per second each; messages take 20 ms. */
function openWithOthers() {
  let isFlooded = false
  const floodRate = openFloodRate({ any: () => isFlooded, largestOther: () => 10 })
  for (let at = 0; at < 200; at += 1) floodRate.update({ ...step, queueDelay_ms: 20 })
  return { floodRate, flood: (floods: boolean) => (isFlooded = floods) }
}

test('Without a flood every request is accepted', () => {
  expect(openWithOthers().floodRate.rate).toBe(Infinity)
})

test('A flooding FSP begins with the rate of the largest other FSP', () => {
  const { floodRate, flood } = openWithOthers()
  flood(true)
  floodRate.update({ ...step, queueDelay_ms: 20 })
  expect(floodRate.rate).toBe(10)
})

test('The rate of floods rises while messages take hardly longer than before, else falls, but never below that of the others', () => {
  const { floodRate, flood } = openWithOthers()
  flood(true)
  for (let at = 0; at < 100; at += 1) floodRate.update({ ...step, queueDelay_ms: 24 })
  const most = floodRate.rate
  expect(most).toBeGreaterThan(20)
  floodRate.update({ ...step, queueDelay_ms: 26 })
  expect(floodRate.rate).toBeCloseTo(0.9 * most, 6)
  for (let at = 0; at < 100; at += 1) floodRate.update({ ...step, queueDelay_ms: 500 })
  expect(floodRate.rate).toBe(10)
})

test('A flood does not change the usual time through the hub', () => {
  const { floodRate, flood } = openWithOthers()
  flood(true)
  for (let at = 0; at < 600; at += 1) floodRate.update({ ...step, queueDelay_ms: 300 })
  expect(floodRate.rate).toBe(10)
})

test('After the flood every request is accepted', () => {
  const { floodRate, flood } = openWithOthers()
  flood(true)
  floodRate.update({ ...step, queueDelay_ms: 20 })
  flood(false)
  floodRate.update({ ...step, queueDelay_ms: 20 })
  expect(floodRate.rate).toBe(Infinity)
})
