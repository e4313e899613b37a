import { expect, test } from '@jest/globals'
import { openPacing } from './pacing.ts'

interface World {
  /** Requests per second; it floods, or is alone. */
  rate: number
  floods: boolean
  alone: boolean
  now_ms: number
}

function openWorld() {
  const world: World = { rate: 0, floods: false, alone: false, now_ms: 1_700_000_000_000 }
  const floods = {
    has: () => world.floods,
    count: () => 1,
    rateOf: () => world.rate,
    isAlone: () => world.alone,
  }
  const pacing = openPacing(floods, { current: () => 20 }, () => world.now_ms)
  const waits = (count: number) =>
    Array.from({ length: count }, () => Math.round(pacing.wait_ms('greenbank')))
  return { world, waits }
}

test('Eight requests at once do not wait, and those after them are a hundred per second', () => {
  const { waits } = openWorld()
  expect(waits(11)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 10, 20, 30])
})

test('An FSP that sends more may go on at twice its rate', () => {
  const { world, waits } = openWorld()
  world.rate = 500
  expect(waits(11).slice(-3)).toEqual([1, 2, 3])
})

test('An FSP below its rate never waits', () => {
  const { world, waits } = openWorld()
  for (let second = 0; second < 60; second += 1) {
    expect(waits(1)).toEqual([0])
    world.now_ms += 10
  }
})

test('A request that would wait for more than a second is refused, and does not count', () => {
  const { world, waits } = openWorld()
  expect(waits(108).at(-1)).toBe(1_000)
  expect(waits(50)).toEqual(Array(50).fill(Infinity))
  world.now_ms += 10
  expect(waits(2)).toEqual([1_000, Infinity])
})

test('An FSP that floods has the rate of floods', () => {
  const { world, waits } = openWorld()
  world.floods = true
  expect(waits(11).slice(-3)).toEqual([50, 100, 150])
})

test('An FSP that is alone never waits', () => {
  const { world, waits } = openWorld()
  world.alone = true
  expect(waits(1_000)).toEqual(Array(1_000).fill(0))
})

test('After the clock was set back the FSP begins again', () => {
  const { world, waits } = openWorld()
  waits(20)
  world.now_ms -= 3_600_000
  expect(waits(9).slice(-2)).toEqual([0, 10])
})
