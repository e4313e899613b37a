import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { halving } from './halving.ts'
import { Outage } from '../outage.ts'

/** Work that fails when one of the bad items is among those that it is given. */
function workWithout(bad: ReadonlySet<number>) {
  const done: number[] = []
  const work = (items: readonly number[]) => {
    const failing = items.find((item) => bad.has(item))
    if (failing !== undefined) return Promise.reject(new Error(`${failing} fails`))
    done.push(...items)
    return Promise.resolve()
  }
  return { done, work }
}

test('Every item that can be done is done once, and the others are named with their errors', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(50)), fc.func(fc.boolean()), async (items, isBad) => {
      const bad = new Set(items.filter(isBad))
      // One that succeeds, so that not all of them fail.
      const { done, work } = workWithout(bad)
      const failed = await halving([...items, 99], work)
      expect(done.toSorted((a, b) => a - b)).toEqual(
        [...items.filter((item) => !bad.has(item)), 99].toSorted((a, b) => a - b),
      )
      expect(failed.map(({ item, error }) => [item, (error as Error).message])).toEqual(
        items.filter((item) => bad.has(item)).map((item) => [item, `${item} fails`]),
      )
    }),
  )
})

test('An outage is thrown at once, and nothing is tried again', async () => {
  let tries = 0
  const work = () => {
    tries += 1
    return Promise.reject(new Outage('away'))
  }
  await expect(halving([1, 2, 3, 4], work)).rejects.toThrow('away')
  expect(tries).toBe(1)
})

test('Work that is too large is done in smaller parts', async () => {
  const done: number[] = []
  const work = (items: readonly number[]) => {
    if (items.length > 2) return Promise.reject(new Outage('too large', { kind: 'TOO_LARGE' }))
    done.push(...items)
    return Promise.resolve()
  }
  expect(await halving([1, 2, 3, 4, 5], work)).toEqual([])
  expect(done).toEqual([1, 2, 3, 4, 5])
})

test('Where many items are given and all of them fail, the work fails', async () => {
  const { work } = workWithout(new Set([1, 2, 3, 4]))
  await expect(halving([1, 2, 3, 4], work)).rejects.toThrow('1 fails')
  expect(await halving([1, 2, 3], work)).toHaveLength(3)
})
