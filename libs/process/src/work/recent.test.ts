import { expect, test } from '@jest/globals'
import { recent } from './recent.ts'

test('A hundred calls in ten seconds look at most ten times, and never twice at once', async () => {
  let now_ms = 0
  let looks = 0
  let atOnce = 0
  let atOnce_max = 0
  const ask = recent(
    async () => {
      looks++
      atOnce_max = Math.max(atOnce_max, ++atOnce)
      await Promise.resolve()
      atOnce--
      return looks
    },
    1_000,
    () => now_ms,
  )
  for (; now_ms < 10_000; now_ms += 200) await Promise.all([ask(), ask()])
  expect({ looks, atOnce_max }).toEqual({ looks: 10, atOnce_max: 1 })
})

test('A check that takes long serves all callers meanwhile, and its age counts from its end', async () => {
  let now_ms = 0
  const ends: ((value: string) => void)[] = []
  const ask = recent(
    () => new Promise<string>((resolve) => ends.push(resolve)),
    1_000,
    () => now_ms,
  )
  const first = ask()
  now_ms = 5_000
  const second = ask()
  ends[0]?.('found')
  expect(await Promise.all([first, second])).toEqual(['found', 'found'])
  now_ms = 5_900
  expect(await ask()).toBe('found')
  now_ms = 6_100
  void ask()
  expect(ends.length).toBe(2)
})

test('A look that failed is not remembered: the next caller looks again', async () => {
  let looks = 0
  const ask = recent(
    () => (++looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve(looks)),
    1_000,
  )
  await expect(ask()).rejects.toThrow('away')
  expect(await ask()).toBe(2)
})
