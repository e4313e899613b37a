import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keyedBacklog, plainBacklog, type Batch } from './backlog.ts'

interface Item {
  readonly topic: string
  readonly key: string
  readonly n: number
}

const item = (key: string, n: number, topic = 't'): Item => ({ topic, key, n })
const numbers = (batch: Batch<Item> | undefined) => batch?.items.map(({ n }) => n)

/** The next batch; throws when there is none. */
function taken(batch: Batch<Item> | undefined): Batch<Item> {
  if (batch === undefined) throw new Error('nothing to take')
  return batch
}

describe('A backlog with one batch in work:', () => {
  test('A batch holds the oldest waiting messages, in order, up to the bound', () => {
    const backlog = plainBacklog<Item>()
    for (let n = 0; n < 5; n++) backlog.push(item('a', n))
    expect(numbers(backlog.take(3))).toEqual([0, 1, 2])
    expect(numbers(backlog.take(3))).toEqual([3, 4])
    expect(backlog.take(3)).toBeUndefined()
  })
})

describe('A backlog with many batches in work:', () => {
  test('A key in work is skipped, and is first when it is released', () => {
    const backlog = keyedBacklog<Item>()
    for (const [key, n] of [
      ['a', 0],
      ['a', 1],
      ['b', 2],
    ] as const)
      backlog.push(item(key, n))
    const first = taken(backlog.take(1))
    const second = taken(backlog.take(2))
    expect([numbers(first), numbers(second)]).toEqual([[0], [2]])
    expect([backlog.take(9), backlog.length]).toEqual([undefined, 1])
    backlog.push(item('c', 3))
    backlog.release(first)
    expect(numbers(backlog.take(9))).toEqual([1, 3])
  })

  test('The same key of two topics counts as two keys, and messages without a key have no order', () => {
    const backlog = keyedBacklog<Item>()
    backlog.push(item('a', 0, 'x'))
    backlog.push(item('a', 1, 'y'))
    backlog.push(item('', 2))
    backlog.push(item('', 3))
    expect([1, 1, 1, 1].map((max) => numbers(backlog.take(max)))).toEqual([[0], [1], [2], [3]])
  })

  test('A busy key is in one batch at a time and does not hold up the others', () => {
    const backlog = keyedBacklog<Item>()
    for (let n = 0; n < 1000; n++) backlog.push(item('hot', n))
    backlog.push(item('cold', 1000))
    const hot = taken(backlog.take(100))
    const cold = taken(backlog.take(100))
    expect([hot.items.length, numbers(cold)]).toEqual([100, [1000]])
    backlog.release(hot)
    expect(numbers(backlog.take(100))?.[0]).toBe(100)
  })

  test('A key is never in two batches, each key stays in order, and every message is taken once', () => {
    const step = fc.oneof(
      fc.record({ push: fc.constantFrom('a', 'b', 'c', 'd', '') }),
      fc.record({ take: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ release: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const backlog = keyedBacklog<Item>()
        const out: Batch<Item>[] = []
        const given = new Map<string, number[]>()
        let n = 0
        const take = (max: number) => {
          const batch = backlog.take(max)
          if (batch === undefined) return
          expect(batch.items.length).toBeLessThanOrEqual(max)
          const taken = new Set(out.flatMap(({ items }) => items.map(({ key }) => key)))
          for (const { key, n: number } of batch.items) {
            expect(key !== '' && taken.has(key)).toBe(false)
            given.set(key, [...(given.get(key) ?? []), number])
          }
          out.push(batch)
        }
        const release = (at: number) => {
          for (const batch of out.splice(at % Math.max(out.length, 1), 1)) backlog.release(batch)
        }
        for (const now of steps) {
          if ('push' in now) backlog.push(item(now.push, n++))
          else if ('take' in now) take(now.take)
          else release(now.release)
        }
        while (backlog.length > 0 || out.length > 0) {
          take(3)
          release(0)
        }
        const all = [...given.values()].flat()
        expect(all.length).toBe(n)
        for (const order of given.values()) expect(order).toEqual(order.toSorted((a, b) => a - b))
      }),
      { numRuns: 300 },
    )
  })
})
