import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { roundsOf } from './handle.ts'

test('A round holds each transfer once, and the rounds preserve the order of each', () => {
  const event = fc.record({ payload: fc.record({ transferId: fc.constantFrom('a', 'b', 'c') }) })
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const rounds = roundsOf(events)
      for (const round of rounds) {
        const ids = round.map(({ payload }) => payload.transferId)
        expect(new Set(ids).size).toBe(ids.length)
      }
      for (const id of ['a', 'b', 'c']) {
        const of = (list: typeof events) => list.filter(({ payload }) => payload.transferId === id)
        expect(rounds.flatMap((round) => of([...round]))).toEqual(of(events))
      }
    }),
  )
})

test('Events of different transfers form one round', () => {
  const events = ['a', 'b', 'c'].map((transferId) => ({ payload: { transferId } }))
  expect(roundsOf(events)).toEqual([events])
})
