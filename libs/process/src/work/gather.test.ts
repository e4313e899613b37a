import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { setImmediate as turnEnds } from 'node:timers/promises'
import { gather } from './gather.ts'
import { isOutage, Outage } from '../outage.ts'

/** Work whose batches the test completes. */
function handWork() {
  const batches: { items: readonly number[]; answer: () => void; fail: (e: Error) => void }[] = []
  const work = (items: readonly number[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      batches.push({ items, answer: () => resolve(items.map((n) => `r${n}`)), fail: reject })
    })
  return { batches, work }
}

/**
 * The turn of the event loop in which a batch is answered, and the one at whose end the next
 * begins.
 */
async function turn(): Promise<void> {
  await turnEnds()
  await turnEnds()
}

describe('Gathered calls:', () => {
  test('Calls within one turn of the event loop are one batch', async () => {
    const { batches, work } = handWork()
    const call = gather(work, { batch_max: 10 })
    const first = call([1])
    const second = call([2, 3])
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]])
    batches[0]?.answer()
    expect(await first).toEqual(['r1'])
    expect(await second).toEqual(['r2', 'r3'])
  })

  test('Calls while a batch is in progress, or as it ends, are the next batch', async () => {
    const { batches, work } = handWork()
    const call = gather(work, { batch_max: 10 })
    const first = call([1])
    await turn()
    const later = [call([2]), call([3])]
    await turn()
    expect(batches).toHaveLength(1)
    batches[0]?.answer()
    await first
    later.push(call([4]))
    await turn()
    expect(batches[1]?.items).toEqual([2, 3, 4])
    batches[1]?.answer()
    expect(await Promise.all(later)).toEqual([['r2'], ['r3'], ['r4']])
  })

  test('A list that fits into a batch is never split', async () => {
    const { batches, work } = handWork()
    const call = gather(work, { batch_max: 4 })
    const answers = [call([1, 2, 3]), call([4, 5])]
    await turn()
    batches[0]?.answer()
    await answers[0]
    await turn()
    batches[1]?.answer()
    await answers[1]
    expect(batches.map(({ items }) => items)).toEqual([
      [1, 2, 3],
      [4, 5],
    ])
  })

  test('A failure rejects every call of its batch and none of the next', async () => {
    const { batches, work } = handWork()
    const call = gather(work, { batch_max: 10 })
    const failing = [call([1]), call([2])].map((answer) => answer.catch((e: unknown) => e))
    await turn()
    const good = call([3])
    const error = new Error('refused')
    batches[0]?.fail(error)
    expect(await Promise.all(failing)).toEqual([error, error])
    await turn()
    batches[1]?.answer()
    expect(await good).toEqual(['r3'])
  })

  test('The rest of a list that was split is not processed after a failure', async () => {
    const { batches, work } = handWork()
    const call = gather(work, { batch_max: 2 })
    const failing = call([1, 2, 3, 4]).catch((e: unknown) => e)
    const good = call([5])
    await turn()
    batches[0]?.fail(new Error('refused'))
    expect(await failing).toEqual(new Error('refused'))
    await turn()
    batches[1]?.answer()
    expect(await good).toEqual(['r5'])
    expect(batches.map(({ items }) => items)).toEqual([[1, 2], [5]])
  })

  test('A split list that failed leaves no work behind', async () => {
    const { batches, work } = handWork()
    const failing = gather(work, { batch_max: 2 })([1, 2, 3]).catch((e: unknown) => e)
    await turn()
    batches[0]?.fail(new Error('refused'))
    await failing
    await turn()
    expect(batches).toHaveLength(1)
  })

  describe('A full queue:', () => {
    test('A list that does not fit into the queue is refused at once as an outage, and none of it is started', async () => {
      const { batches, work } = handWork()
      const call = gather(work, { batch_max: 2, queued_max: 3 })
      const first = call([1])
      await turn()
      const waiting = [call([2, 3]), call([4])]
      const refused = await call([5]).catch((e: unknown) => e)
      expect(isOutage(refused)).toBe(true)
      expect(refused).toEqual(
        new Outage('3 items wait already, and at most 3 may: come again later'),
      )
      for (const number of [0, 1, 2]) {
        batches[number]?.answer()
        await turn()
      }
      expect(await Promise.all([first, ...waiting])).toEqual([['r1'], ['r2', 'r3'], ['r4']])
      expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3], [4]])
    })

    test('A full queue accepts lists again as soon as a batch has been taken from it', async () => {
      const { batches, work } = handWork()
      const call = gather(work, { batch_max: 2, queued_max: 2 })
      void call([1])
      await turn()
      const second = call([2, 3])
      await expect(call([4])).rejects.toThrow('2 items wait already')
      batches[0]?.answer()
      await turn()
      const third = call([4])
      batches[1]?.answer()
      await turn()
      batches[2]?.answer()
      expect(await Promise.all([second, third])).toEqual([['r2', 'r3'], ['r4']])
    })

    test('An empty queue accepts a list that is longer than its bound', async () => {
      const call = gather((items: readonly number[]) => Promise.resolve(items), {
        batch_max: 2,
        queued_max: 3,
      })
      expect(await call([1, 2, 3, 4, 5])).toEqual([1, 2, 3, 4, 5])
    })

    test('The rest of a split list that failed no longer counts as waiting', async () => {
      const { batches, work } = handWork()
      const call = gather(work, { batch_max: 1, queued_max: 3 })
      const failing = call([1, 2, 3]).catch((e: unknown) => e)
      await turn()
      batches[0]?.fail(new Error('refused'))
      await failing
      await turn()
      const next = [call([4]), call([5, 6])]
      for (const number of [1, 2, 3]) {
        await turn()
        batches[number]?.answer()
      }
      expect(await Promise.all(next)).toEqual([['r4'], ['r5', 'r6']])
    })
  })

  test('An empty list resolves without work', async () => {
    const { batches, work } = handWork()
    expect(await gather(work, { batch_max: 2 })([])).toEqual([])
    expect(batches).toHaveLength(0)
  })

  test('Work that returns too few results rejects its callers', async () => {
    const call = gather(() => Promise.resolve([]), { batch_max: 2 })
    await expect(call([1])).rejects.toThrow('gathered 1 items, got 0 results')
  })

  test('Any calls get their own results in order, in batches within the bound', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer(), { maxLength: 9 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (lists, batch_max) => {
          const seen: number[] = []
          const sizes: number[] = []
          const call = gather(
            async (items: readonly number[]) => {
              seen.push(...items)
              sizes.push(items.length)
              await turn()
              return items.map((n) => `r${n}`)
            },
            { batch_max },
          )
          const answers = await Promise.all(lists.map((list) => call(list)))
          expect(answers).toEqual(lists.map((list) => list.map((n) => `r${n}`)))
          expect(seen).toEqual(lists.flat())
          expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(batch_max)
        },
      ),
      { numRuns: 100 },
    )
  })
})
