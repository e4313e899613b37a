import { describe, expect, test } from '@jest/globals'
import { readThrough } from './cache.ts'

/** A source whose loads the test completes, in any order. */
function source(entries_max = 100) {
  const loads: {
    readonly keys: readonly string[]
    readonly answer: (values: Record<string, string>) => void
    readonly fail: (error: Error) => void
  }[] = []
  const cache = readThrough<string>({
    entries_max,
    load: (keys) =>
      new Promise((resolve, reject) => {
        loads.push({
          keys,
          answer: (values) => resolve(new Map(Object.entries(values))),
          fail: reject,
        })
      }),
  })
  const load = (n: number) => {
    const begun = loads[n]
    if (begun === undefined) throw new Error(`there was no load ${n}`)
    return begun
  }
  return { cache, load, asked: () => loads.map(({ keys }) => keys) }
}

describe('The method get of a cache:', () => {
  test('Misses are loaded once and hits are read from memory', async () => {
    const { cache, load, asked } = source()
    const first = cache.get(['a', 'b'])
    load(0).answer({ a: '1', b: '2' })
    await first
    const second = cache.get(['b', 'c', 'c'])
    load(1).answer({ c: '3' })
    expect(Object.fromEntries(await second)).toEqual({ b: '2', c: '3' })
    expect(asked()).toEqual([['a', 'b'], ['c']])
  })

  test('Concurrent misses of a key share one load', async () => {
    const { cache, load, asked } = source()
    const first = cache.get(['a', 'b'])
    const second = cache.get(['b', 'c'])
    const third = cache.get(['b'])
    load(0).answer({ a: '1', b: '2' })
    load(1).answer({ c: '3' })
    expect(Object.fromEntries(await first)).toEqual({ a: '1', b: '2' })
    expect(Object.fromEntries(await second)).toEqual({ b: '2', c: '3' })
    expect(Object.fromEntries(await third)).toEqual({ b: '2' })
    expect(asked()).toEqual([['a', 'b'], ['c']])
  })

  test('It is not cached that a key has no value', async () => {
    const { cache, load, asked } = source()
    const first = cache.get(['a'])
    load(0).answer({})
    expect((await first).size).toBe(0)
    const second = cache.get(['a'])
    load(1).answer({ a: '1' })
    expect((await second).get('a')).toBe('1')
    expect(asked()).toHaveLength(2)
  })

  test('A failed load rejects the calls that wait for it, and the next call loads again', async () => {
    const { cache, load } = source()
    const first = cache.get(['a'])
    load(0).fail(new Error('no answer'))
    await expect(first).rejects.toThrow('no answer')
    const second = cache.get(['a'])
    load(1).answer({ a: '1' })
    expect((await second).get('a')).toBe('1')
  })
})

describe('The method forget of a cache:', () => {
  test('A forgotten key loses its value and the result of a load that began before', async () => {
    const { cache, load } = source()
    const before = cache.get(['a', 'b'])
    cache.forget('a')
    load(0).answer({ a: 'old', b: '2' })
    expect((await before).get('a')).toBe('old')
    expect([cache.peek('a'), cache.peek('b')]).toEqual([undefined, '2'])
  })

  test('After forget the next get loads again, in whatever order the results arrive', async () => {
    const { cache, load } = source()
    const before = cache.get(['a'])
    cache.forget('a')
    const after = cache.get(['a'])
    load(1).answer({ a: 'new' })
    expect((await after).get('a')).toBe('new')
    load(0).answer({ a: 'old' })
    await before
    expect(cache.peek('a')).toBe('new')
  })

  test('After clear nothing is cached, including loads in progress', async () => {
    const { cache, load } = source()
    const before = cache.get(['a'])
    cache.clear()
    load(0).answer({ a: 'old' })
    await before
    expect(cache.peek('a')).toBeUndefined()
  })
})

describe('The method fresh of a cache:', () => {
  test('A fresh read loads even a cached value, and replaces it', async () => {
    const { cache, load } = source()
    const first = cache.get(['a'])
    load(0).answer({ a: 'old' })
    await first
    const second = cache.fresh(['a'])
    expect(cache.peek('a')).toBe('old')
    load(1).answer({ a: 'new' })
    expect((await second).get('a')).toBe('new')
    expect(cache.peek('a')).toBe('new')
  })

  test('A fresh read removes a value that no longer exists', async () => {
    const { cache, load } = source()
    const first = cache.get(['a'])
    load(0).answer({ a: 'old' })
    await first
    const second = cache.fresh(['a'])
    load(1).answer({})
    await second
    expect(cache.peek('a')).toBeUndefined()
  })
})

test('Beyond the bound of a cache the entry that was read longest ago is removed', async () => {
  const { cache, load } = source(2)
  const first = cache.get(['a', 'b'])
  load(0).answer({ a: '1', b: '2' })
  await first
  expect(cache.peek('a')).toBe('1')
  const second = cache.get(['c'])
  load(1).answer({ c: '3' })
  await second
  expect([cache.peek('a'), cache.peek('b'), cache.peek('c')]).toEqual(['1', undefined, '3'])
})
