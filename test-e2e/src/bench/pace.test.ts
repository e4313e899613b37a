import { expect, test } from '@jest/globals'
import { passAll } from './pace.ts'

test('Failures are counted by their reason, whatever the ids in it, and have no latency', async () => {
  const passed = await passAll(4, undefined, async (n) => {
    await Promise.resolve()
    if (n > 0) throw new Error(`00000000-0000-4000-8000-00000000000${n} is unknown`)
  })
  expect(passed).toMatchObject({ done: 1, failures: { '{ID} is unknown': 3 } })
})

test('Without a rate each begins when the one before has ended', async () => {
  const order: string[] = []
  await passAll(2, undefined, async (n) => {
    order.push(`begin ${n}`)
    await Promise.resolve()
    order.push(`end ${n}`)
  })
  expect(order).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1'])
})

test('With a rate each begins by the clock, though earlier ones have not ended', async () => {
  let begun = 0
  let endAll: () => void = () => undefined
  const all = new Promise<void>((resolve) => (endAll = resolve))
  const passed = await passAll(3, 1_000, (n) => {
    begun += 1
    if (n === 2) endAll()
    return all
  })
  expect(begun).toBe(3)
  expect(passed).toMatchObject({ done: 3, failures: {} })
})
