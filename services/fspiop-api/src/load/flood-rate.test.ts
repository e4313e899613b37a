import { expect, test } from '@jest/globals'
import { openFloodRate } from './flood-rate.ts'

/** The largest other FSP sends ten requests per second; storing a request takes 4 ms. */
function openWithOthers() {
  let now_ms = 1_700_000_000_000
  let count = 0
  const floodRate = openFloodRate({ count: () => count, largestOther: () => 10 }, () => now_ms)
  const store = (stored_ms: number, length_ms: number) => {
    for (const end_ms = now_ms + length_ms; now_ms < end_ms; now_ms += 20) {
      floodRate.observe(stored_ms)
    }
  }
  store(4, 20_000)
  return { floodRate, store, flood: (floods: number) => (count = floods) }
}

test('Without a flood every request is accepted', () => {
  expect(openWithOthers().floodRate.current()).toBe(Infinity)
})

test('A flood begins with thirty requests per second', () => {
  const { floodRate, flood } = openWithOthers()
  flood(1)
  expect(floodRate.current()).toBe(30)
})

test('The rate of floods rises while storing takes hardly longer than before, else falls, but never below that of the largest other FSP', () => {
  const { floodRate, flood, store } = openWithOthers()
  flood(1)
  floodRate.current()
  store(4.5, 4_000)
  const most = floodRate.current()
  expect(most).toBeGreaterThan(60)
  store(8, 400)
  expect(floodRate.current()).toBeLessThan(most)
  store(8, 5_000)
  expect(floodRate.current()).toBe(10)
})

test('A flood does not change the usual time', () => {
  const { floodRate, flood, store } = openWithOthers()
  flood(1)
  floodRate.current()
  store(300, 60_000)
  expect(floodRate.current()).toBe(10)
})

test('After the flood every request is accepted, and the next flood begins with thirty per second', () => {
  const { floodRate, flood, store } = openWithOthers()
  flood(1)
  floodRate.current()
  store(300, 5_000)
  flood(0)
  store(4, 100)
  expect(floodRate.current()).toBe(Infinity)
  flood(1)
  expect(floodRate.current()).toBe(30)
})
