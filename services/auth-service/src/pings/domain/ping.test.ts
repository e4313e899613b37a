import { expect, test } from '@jest/globals'
import { newest } from './ping.ts'

const at = (participant: string, pingId: string, ms: number) => ({
  participant,
  pingId,
  time: new Date(ms),
})

test('of each ping the latest counts, whatever the order', () => {
  const all = [at('b', '1', 5), at('a', '1', 7), at('a', '1', 9), at('a', '2', 1), at('b', '1', 3)]
  const expected = [at('a', '1', 9), at('a', '2', 1), at('b', '1', 5)]
  expect(newest(all, ({ time }) => time)).toEqual(expected)
  expect(newest(all.toReversed(), ({ time }) => time)).toEqual(expected)
})

test('pings of two FSPs with the same id are two', () => {
  expect(newest([at('a', 'b', 1), at('ab', '', 2)], ({ time }) => time)).toHaveLength(2)
})
