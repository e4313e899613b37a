import { expect, test } from '@jest/globals'
import { openFloodRate } from './flood-rate.ts'

const step = { length_ms: 100, offered: 1_000, worked: 500 }

/** Other FSPs send at most ten requests per second each; messages take 20 ms. */
function openBeside() {
  let isFlooded = false
  const floodRate = openFloodRate({ any: () => isFlooded, largestOther: () => 10 })
  for (let at = 0; at < 200; at += 1) floodRate.update({ ...step, standing_ms: 20 })
  return { floodRate, flood: (floods: boolean) => (isFlooded = floods) }
}

test('without a flood every request is accepted', () => {
  expect(openBeside().floodRate.rate).toBe(Infinity)
})

test('a flooding FSP begins with the rate of the largest other FSP', () => {
  const { floodRate, flood } = openBeside()
  flood(true)
  floodRate.update({ ...step, standing_ms: 20 })
  expect(floodRate.rate).toBe(10)
})

test('its rate rises while messages take hardly longer than before, and falls when they do, never below that of the others', () => {
  const { floodRate, flood } = openBeside()
  flood(true)
  for (let at = 0; at < 100; at += 1) floodRate.update({ ...step, standing_ms: 24 })
  const most = floodRate.rate
  expect(most).toBeGreaterThan(20)
  floodRate.update({ ...step, standing_ms: 26 })
  expect(floodRate.rate).toBeCloseTo(0.9 * most, 6)
  for (let at = 0; at < 100; at += 1) floodRate.update({ ...step, standing_ms: 500 })
  expect(floodRate.rate).toBe(10)
})

test('a flood does not change what counts as the usual time', () => {
  const { floodRate, flood } = openBeside()
  flood(true)
  for (let at = 0; at < 600; at += 1) floodRate.update({ ...step, standing_ms: 300 })
  expect(floodRate.rate).toBe(10)
})

test('after the flood every request is accepted', () => {
  const { floodRate, flood } = openBeside()
  flood(true)
  floodRate.update({ ...step, standing_ms: 20 })
  flood(false)
  floodRate.update({ ...step, standing_ms: 20 })
  expect(floodRate.rate).toBe(Infinity)
})
