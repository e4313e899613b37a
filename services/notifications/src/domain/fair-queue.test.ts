import { expect, test } from '@jest/globals'
import { openFairQueue } from './fair-queue.ts'

const anyOne = () => true

test('Sources take turns, and the items of one source keep their order', () => {
  const queue = openFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.charAt(0), item)
  const taken = Array.from({ length: 7 }, () => queue.takeNext(anyOne))
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
})

test('A source that is not eligible keeps its turn', () => {
  const queue = openFairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.charAt(0), item)
  expect(queue.takeNext((source) => source !== 'a')).toBe('b1')
  expect(queue.takeNext(() => false)).toBeUndefined()
  expect([queue.takeNext(anyOne), queue.takeNext(anyOne)]).toEqual(['a1', 'b2'])
})

test('Removed and drained items are not returned', () => {
  const queue = openFairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.charAt(0), item)
  queue.remove('a', 'a1')
  queue.remove('c', 'c1')
  queue.remove('b', 'b1')
  expect(queue.drain()).toEqual(['b2'])
  expect(queue.takeNext(anyOne)).toBeUndefined()
})
