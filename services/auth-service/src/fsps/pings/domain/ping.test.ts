import { expect, test } from '@jest/globals'
import { newest } from './ping.ts'

const at = (participant: string, pingId: string, ms: number) => ({
  participant,
  pingId,
  time: new Date(ms),
})

test('The latest entry of each ping applies, in any order', () => {
  const all = [at('b', '1', 5), at('a', '1', 7), at('a', '1', 9), at('a', '2', 1), at('b', '1', 3)]
  const expected = [at('a', '1', 9), at('a', '2', 1), at('b', '1', 5)]
  expect(newest(all, ({ time }) => time)).toEqual(expected)
  expect(newest(all.toReversed(), ({ time }) => time)).toEqual(expected)
})

test('Pings of two FSPs with the same id are distinct', () => {
  expect(newest([at('a', 'b', 1), at('ab', '', 2)], ({ time }) => time)).toHaveLength(2)
})
