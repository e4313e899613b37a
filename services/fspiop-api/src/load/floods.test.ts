import { expect, test } from '@jest/globals'
import { openFloods, type Floods } from './floods.ts'

const start_ms = 1_700_000_000_000

interface World {
  readonly floods: Floods
  /**
   * Each FSP sends that many requests per 100 ms, spread evenly; all of `refused` are refused. As many
   * as it sends in 100 ms are without an answer, or one if it waits for each answer.
   */
  readonly ask: (
    perInterval: Readonly<Record<string, number>>,
    length_ms: number,
    refused?: string,
    waiting?: string,
  ) => void
  readonly pass: (ms: number) => void
}

function openWorld(): World {
  let now_ms = start_ms
  const floods = openFloods(() => now_ms)
  return {
    floods,
    ask(perInterval, length_ms, refused, waiting) {
      for (const end_ms = now_ms + length_ms; now_ms < end_ms; now_ms += 1) {
        const at = now_ms % 100
        for (const [fspId, count] of Object.entries(perInterval)) {
          const due = Math.floor((count * (at + 1)) / 100) - Math.floor((count * at) / 100)
          for (let n = 0; n < due; n += 1) {
            floods.countRequest(fspId, fspId === waiting ? 1 : count)
            if (fspId === refused) floods.countRefused(fspId)
          }
        }
      }
    },
    pass: (ms) => void (now_ms += ms),
  }
}

const others = { one: 2, two: 2, three: 1 }

test('An FSP that sends many times as much as all others together is detected within 100 ms', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  expect(floods.count()).toBe(0)
  ask({ ...others, redmoney: 100 }, 100)
  expect(floods.has('redmoney')).toBe(true)
  expect([floods.has('one'), floods.has('two'), floods.has('three')]).toEqual([false, false, false])
})

test('An FSP whose rate rises slowly does not flood', () => {
  const { floods, ask } = openWorld()
  for (const count of [1, 3, 8, 15, 30, 60]) {
    ask({ ...others, bluewallet: count }, 5_000)
    expect(floods.has('bluewallet')).toBe(false)
  }
})

test('An FSP that sends 70 of 100 messages does not flood, even when all are refused', () => {
  const { floods, ask } = openWorld()
  ask({ one: 10, two: 10, three: 10, hot: 70 }, 5_000, 'hot')
  expect(floods.count()).toBe(0)
})

test('An FSP that makes three of four payments does not flood when all FSPs suddenly pay five times as much', () => {
  const small = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
  const floodsAt: number[] = []
  for (let seed = 1; seed <= 20; seed += 1) {
    let now_ms = start_ms
    let state = seed
    const floods = openFloods(() => now_ms)
    const chance = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    }
    for (; now_ms < start_ms + 10_000; now_ms += 1) {
      const isJump = now_ms >= start_ms + 5_000
      for (let requests = isJump ? 1.5 : 0.3; requests > 0; requests -= 0.1) {
        if (chance() >= 0.1) continue
        const fspId = chance() < 0.74 ? 'hot' : (small[Math.floor(chance() * small.length)] ?? '')
        floods.countRequest(fspId, fspId === 'hot' ? 100 : 1)
      }
      // Of the first seconds there is no average yet.
      if (now_ms >= start_ms + 3_000 && floods.count() > 0) floodsAt.push(now_ms - start_ms)
    }
  }
  expect(floodsAt).toEqual([])
})

test('A burst of 31 requests is not a flood', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  ask({ ...others, bluewallet: 31 }, 100)
  expect(floods.has('bluewallet')).toBe(false)
})

test('An FSP that waits for each answer before its next request does not flood', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  ask({ ...others, bluewallet: 100 }, 1_000, undefined, 'bluewallet')
  expect(floods.count()).toBe(0)
})

test('An FSP that repeats each request when it is refused floods, though it waits for the refusal', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  ask({ ...others, redmoney: 100 }, 200, 'redmoney', 'redmoney')
  expect(floods.has('redmoney')).toBe(true)
})

test('An FSP does not flood while no other FSP sends requests', () => {
  const { floods, ask } = openWorld()
  ask({ bluewallet: 200 }, 1_000)
  expect(floods.count()).toBe(0)
})

test('Two FSPs that flood at the same time are both detected', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  ask({ ...others, redmoney: 100, greymoney: 90 }, 200)
  expect([floods.has('redmoney'), floods.has('greymoney')]).toEqual([true, true])
})

test('A flood does not end while its requests are held', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  ask({ ...others, redmoney: 100 }, 500, 'redmoney')
  for (let n = 0; n < 30; n += 1) {
    ask({ ...others, redmoney: 1 }, 100)
    floods.countHeld('redmoney')
  }
  expect(floods.has('redmoney')).toBe(true)
})

test('An FSP is alone when no other FSP sends requests', () => {
  const { floods, ask } = openWorld()
  ask({ bluewallet: 20 }, 1_000)
  expect(floods.isAlone('bluewallet')).toBe(true)
  expect(floods.rateOf('bluewallet')).toBeGreaterThan(150)
  ask({ bluewallet: 20, greenbank: 1 }, 1_000)
  expect(floods.isAlone('bluewallet')).toBe(false)
})

test('A flood ends when nothing was refused for a second', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  ask({ ...others, redmoney: 100 }, 500, 'redmoney')
  ask({ ...others, redmoney: 1 }, 900)
  expect(floods.has('redmoney')).toBe(true)
  ask({ ...others, redmoney: 1 }, 300)
  expect(floods.has('redmoney')).toBe(false)
})

test('Connections are paused longer the more requests are refused, up to a second', () => {
  const { floods, ask } = openWorld()
  ask(others, 5_000)
  ask({ ...others, redmoney: 100 }, 100)
  expect(floods.pause_ms('redmoney')).toBe(0)
  const waits = [5, 10, 20, 40].map((count) => {
    ask({ ...others, redmoney: count }, 2_000, 'redmoney')
    return floods.pause_ms('redmoney')
  })
  // Four milliseconds for each refusal per second; the last interval may count only in part.
  expect(waits).toEqual([200, 400, 800, 1_000].map((wait) => expect.closeTo(wait, -2)))
  expect(floods.pause_ms('one')).toBe(0)
})

test('Setting the clock back neither ends nor begins a flood', () => {
  const { floods, ask, pass } = openWorld()
  ask(others, 5_000)
  ask({ ...others, redmoney: 100 }, 500, 'redmoney')
  pass(-60_000)
  ask({ ...others, redmoney: 100 }, 300, 'redmoney')
  expect([floods.has('redmoney'), floods.has('one')]).toEqual([true, false])
})
