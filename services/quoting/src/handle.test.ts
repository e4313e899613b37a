import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { roundsOf } from './handle.ts'

test('A round contains each quote at most once, and the rounds preserve the order of each quote', () => {
  const event = fc.record({ payload: fc.record({ quoteId: fc.constantFrom('a', 'b', 'c') }) })
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const rounds = roundsOf(events)
      for (const round of rounds) {
        const ids = round.map(({ payload }) => payload.quoteId)
        expect(new Set(ids).size).toBe(ids.length)
      }
      for (const id of ['a', 'b', 'c']) {
        const of = (list: typeof events) => list.filter(({ payload }) => payload.quoteId === id)
        expect(rounds.flatMap((round) => of([...round]))).toEqual(of(events))
      }
    }),
  )
})
