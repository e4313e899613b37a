import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { roundsOf } from './rounds.ts'

const ids = ['a', 'b', 'c']

test('A round holds each id at most once, and the rounds preserve the order of each', () => {
  const item = fc.record({ ids: fc.subarray(ids, { minLength: 1 }) })
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const rounds = roundsOf(items, (each) => each.ids)
      for (const round of rounds) {
        const all = round.flatMap((each) => each.ids)
        expect(new Set(all).size).toBe(all.length)
      }
      for (const id of ids) {
        const of = (list: readonly { readonly ids: readonly string[] }[]) =>
          list.filter((each) => each.ids.includes(id))
        expect(rounds.flatMap(of)).toEqual(of(items))
      }
    }),
  )
})

test('Items of different ids form one round', () => {
  expect(roundsOf(ids, (id) => [id])).toEqual([ids])
})
